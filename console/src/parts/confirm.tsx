/** A button for what cannot be undone: says what it does, and asks for a name, before it does it. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { Problem } from './states.tsx';
import './confirm.css';

export interface ConfirmProps {
  readonly label: string;
  readonly title: string;
  /** What is to be typed. */
  readonly name: string;
  /** What the button says that does it. */
  readonly does: string;
  /** @throws ApiError which the dialog shows */
  readonly run: () => Promise<void>;
  /** What will be done, with how many are concerned. */
  readonly children: ComponentChildren;
}

export function Confirm(props: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Opened anew each time: what was typed or refused the last time is not there.
  const [openings, setOpenings] = useState(0);
  const open = (): void => {
    setOpenings(openings + 1);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" onClick={open}>
        {props.label}
      </button>
      <dialog ref={dialog} class="confirm" aria-label={props.title}>
        <Question key={openings} {...props} onClose={() => dialog.current?.close()} />
      </dialog>
    </>
  );
}

function Question({ title, name, does, run, children, onClose }: ConfirmProps & { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    run().catch((failure: unknown) => {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    });
  };
  return (
    <form onSubmit={submit}>
      <h2>{title}</h2>
      <p>{children}</p>
      {error !== undefined && <Problem error={error} />}
      <label>
        <span class="label">
          Type its name to go on: <b>{name}</b>
        </span>
        <input autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="danger" disabled={typed.trim() !== name.trim()}>
          {does}
        </button>
      </div>
    </form>
  );
}
