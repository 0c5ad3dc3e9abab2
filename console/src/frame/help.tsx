import { openScreens } from './screens.ts';
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

export function openHelp(): void {
  document.querySelector<HTMLDialogElement>('#help')?.showModal();
}

export function Help() {
  return (
    <dialog id="help" aria-labelledby="help-title">
      <form method="dialog">
        <div class="head">
          <h2 id="help-title">Keyboard shortcuts</h2>
          <Button label="Close" type="submit" look="plain" aria-label="Close" />
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
        <Check
          label="Keyboard shortcuts on"
          isOn={singleKeys.value === 'on'}
          onChange={(isOn) => (singleKeys.value = isOn ? 'on' : 'off')}
        />
      </form>
    </dialog>
  );
}
