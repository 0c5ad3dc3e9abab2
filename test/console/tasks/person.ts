import type { Locator, Page } from 'playwright-core';

/** A name whole and exact, or a part of it. */
type Name = string | RegExp;
export type ControlRole = Parameters<Page['getByRole']>[0];

/** Where it is looked for, and how long it may take. */
interface Where {
  readonly within?: Locator;
  readonly timeoutMs?: number;
}

/** Long enough for a machine that is busy: what takes longer is not there. */
const MISSING_MS = 20_000;

/**
 * Somebody at a page. Controls are looked up by role and name, as they are seen and read out, never by how they are made.
 * What is not there within a time fails the task, by its role and name.
 */
export class Person {
  readonly page: Page;
  /** Presses of the mouse, and of keys that do something. */
  clicks = 0;
  /** Choices from lists of the browser's own. */
  choices = 0;
  /** Fields that were written in. */
  typed = 0;

  #begunMs = performance.now();
  #endedMs: number | undefined;

  constructor(page: Page) {
    this.page = page;
  }

  /** What came before is not counted as time. */
  begin(): void {
    this.#begunMs = performance.now();
  }

  /** What comes after is not counted as time. */
  end(): void {
    this.#endedMs = performance.now();
  }

  /** Since it was begun, and until it was ended. */
  get seconds(): number {
    return ((this.#endedMs ?? performance.now()) - this.#begunMs) / 1_000;
  }

  #control(role: ControlRole, name: Name, { within }: Where): Locator {
    const around = within ?? this.page;
    return around.getByRole(role, { name, exact: true }).filter({ visible: true }).first();
  }

  /** One that is named by its role and name, once it is to be seen. */
  async find(role: ControlRole, name: Name, where: Where = {}): Promise<Locator> {
    const control = this.#control(role, name, where);
    await there(control, `${role} ${quoted(name)}`, where.timeoutMs);
    return control;
  }

  /** Also where it is no control: what somebody reads. */
  async read(text: Name, { within, timeoutMs }: Where = {}): Promise<string> {
    const found = (within ?? this.page).getByText(text, { exact: true }).filter({ visible: true }).first();
    await there(found, `the text ${quoted(text)}`, timeoutMs);
    return oneLine(await found.innerText());
  }

  async press(role: ControlRole, name: Name, where: Where = {}): Promise<void> {
    const control = await this.find(role, name, where);
    await doing(`to press ${role} ${quoted(name)}`, control.click({ timeout: where.timeoutMs ?? MISSING_MS }));
    this.clicks += 1;
  }

  /** Opens a menu. The browser gives the element that does it no role, and reads it out by its name. */
  async open(name: string): Promise<void> {
    const named = this.page.getByText(name, { exact: true }).or(this.page.getByLabel(name, { exact: true }));
    const menu = this.page.locator('summary').and(named).filter({ visible: true }).first();
    await there(menu, `menu ${quoted(name)}`);
    await menu.click();
    this.clicks += 1;
  }

  /** From a list of the browser's own. */
  async choose(name: Name, option: string, where: Where = {}): Promise<void> {
    const list = await this.find('combobox', name, where);
    await doing(
      `to choose ${quoted(option)} in ${quoted(name)}`,
      list.selectOption({ label: option }, { timeout: MISSING_MS }),
    );
    this.choices += 1;
  }

  /** What a field has is replaced. */
  async write(role: ControlRole, name: Name, text: string, where: Where = {}): Promise<void> {
    const field = await this.find(role, name, where);
    await doing(`to write in ${role} ${quoted(name)}`, field.fill(text, { timeout: MISSING_MS }));
    this.typed += 1;
  }

  /** What is in a field, changed. */
  async correct(role: ControlRole, name: Name, change: (text: string) => string): Promise<void> {
    const field = await this.find(role, name);
    await this.write(role, name, change(await field.inputValue()));
  }

  /** In the field that has the caret: as much as brings up what is meant, which Enter takes. */
  async pick(text: string, wanted: Name): Promise<void> {
    await this.find('listbox', /suggestions$/);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(text);
    const line = this.page.getByRole('option', { name: wanted, selected: true });
    await there(line, `suggestion ${quoted(wanted)}, as the first line after ${quoted(text)}`);
    await this.page.keyboard.press('Enter');
    this.typed += 1;
    this.clicks += 1;
  }

  async key(name: string): Promise<void> {
    await this.page.keyboard.press(name);
    this.clicks += 1;
  }

  async back(): Promise<void> {
    await this.page.goBack();
    this.clicks += 1;
  }

  /** What is copied from now on can be asked for: pages may not read what the system holds. */
  async watchCopies(): Promise<() => Promise<string>> {
    await this.page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }');
    return async () => {
      await doing('to copy', this.page.waitForFunction('globalThis.copied', undefined, { timeout: MISSING_MS }));
      return this.page.evaluate<string>('globalThis.copied');
    };
  }
}

async function there(control: Locator, what: string, timeoutMs = MISSING_MS): Promise<void> {
  await control.waitFor({ timeout: timeoutMs }).catch((cause: unknown) => {
    throw new Error(`There is no ${what}.`, { cause });
  });
}

async function doing(what: string, done: Promise<unknown>): Promise<void> {
  await done.catch((cause: unknown) => {
    throw new Error(`It was not possible ${what}.`, { cause });
  });
}

function quoted(name: Name): string {
  return typeof name === 'string' ? `“${name}”` : String(name);
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
