type Submitted = SubmitEvent & { readonly currentTarget: HTMLFormElement };

/**
 * What a form does in place of asking the server for a page.
 *
 * @param run Is handed what reads a field by its name, as `textIn` does.
 */
export function submitted(run: (textOf: (name: string) => string) => void): (event: Submitted) => void {
  return (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    run((name) => textIn(form, name));
  };
}

/** What is in a field, without the spaces around it; '' where there is no such field. */
export function textIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
