/** `#/audiences`, `#/audiences/new`, `#/audiences/{id}` and `#/audiences/{id}/edit`. */
import { address } from '../../api/address.ts';
import { BuilderScreen } from '../builder/builder-screen.tsx';
import { AudiencePage } from './audience.tsx';
import { AudienceList } from './list.tsx';
import './audiences.css';

export function AudiencesScreen() {
  const [, id, view] = address.value.path;
  if (id === undefined) return <AudienceList />;
  if (id === 'new') return <BuilderScreen key="new" />;
  return view === 'edit' ? <BuilderScreen key={id} id={id} /> : <AudiencePage key={id} id={id} />;
}
