import { signal } from '@preact/signals';
import { openScreens } from './screens.ts';
import { Dialog } from '../parts/dialog.tsx';
import { singleKeys } from '../parts/keyboard.ts';
import { Button, Check } from '../parts/form.tsx';

const shortcutsOf = (): readonly (readonly [string, string])[] => [
  ...openScreens.value.map(({ name, key }): [string, string] => [`g ${key}`, `Go to ${name}`]),
  ['/', 'Search, or the first filter'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close what is open; leave a field'],
  ['Ctrl K', 'Search everything'],
  ['p', 'Pause or resume (Live)'],
  ['Ctrl Z', 'Undo (audience builder)'],
  ['?', 'This help'],
];

const isOpen = signal(false);

export function openHelp(): void {
  isOpen.value = true;
}

export function Help() {
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isOpen.value = false)}>
      {(close) => (
        <>
          <div class="head">
            <Check
              label="Keyboard shortcuts on"
              isOn={singleKeys.value === 'on'}
              onChange={(isOn) => (singleKeys.value = isOn ? 'on' : 'off')}
            />
            <Button label="Close" look="plain" onClick={close} />
          </div>
          <dl class="keys">
            {shortcutsOf().map(([keys, does]) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Dialog>
  );
}
