import type { ComponentChildren } from 'preact';
import { urlOf } from '../api/client.ts';

interface DocsLinkProps {
  /** Within the repository: `docs/operations.md#away`. The service has the pages of its own version. */
  readonly path: string;
  readonly children: ComponentChildren;
}

export function DocsLink({ path, children }: DocsLinkProps) {
  return (
    <a href={urlOf(`/${path}`)} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
