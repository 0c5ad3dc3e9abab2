import { render } from 'preact';
import { App } from './frame/app.tsx';
import { loadSession } from './api/session.ts';

const root = document.querySelector('#console');
if (root !== null) {
  void loadSession();
  render(<App />, root);
}
