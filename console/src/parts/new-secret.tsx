import { Command } from './copy-as.tsx';
import { Button } from './form.tsx';

interface NewSecretProps {
  /** `The new key` */
  readonly title: string;
  /** Whose it is. */
  readonly name: string;
  /** What the button says that it copies: `the key`. */
  readonly what: string;
  readonly text: string;
  readonly onClose: () => void;
}

/** A secret that the service tells this once. */
export function NewSecret({ title, name, what, text, onClose }: NewSecretProps) {
  return (
    <div class="card shown-once" role="status">
      <h3>{title}</h3>
      <p>Copy it now. It is not shown again.</p>
      <Command name={name} what={what} text={text} />
      <Button label="Done" onClick={onClose} />
    </div>
  );
}
