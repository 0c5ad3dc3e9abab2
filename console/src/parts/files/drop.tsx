/** A file that is dropped on a page, or chosen. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../form.tsx';
import './drop.css';

interface DropProps {
  readonly onFile: (file: File) => void;
}

/** While it is on a page, a file may be dropped anywhere on that. */
export function DropAnywhere({ onFile }: DropProps) {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onDrag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(event.type === 'dragover');
      const [file] = event.type === 'drop' ? event.dataTransfer.files : [];
      if (file !== undefined) latest.current(file);
    };
    addEventListener('dragover', onDrag, { signal });
    addEventListener('drop', onDrag, { signal });
    // From one element to another it goes on.
    addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    return () => controller.abort();
  }, []);
  return isOver && <p class="drop-cover">Drop the file to open it</p>;
}

interface ChooseFileProps extends DropProps {
  /** What the file is for. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** The place for a file, on a page that takes one anywhere. */
export function ChooseFile({ label, onFile, children }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined): void => {
    if (file !== undefined) onFile(file);
  };
  return (
    <div class="drop">
      <h2>Drop a file here</h2>
      <p class="quiet">{children}</p>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
      />
      <Button label="Choose a file" look="primary" onClick={() => input.current?.click()} />
    </div>
  );
}
