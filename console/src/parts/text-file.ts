/** A file that is made on this page, line by line, and then saved by the browser. */
export class TextFile {
  readonly #parts: Blob[] = [];
  #lines: string[] = [];
  #chars = 0;
  #count = 0;

  /** How many lines it has. */
  get count(): number {
    return this.#count;
  }

  add(line: string): void {
    this.#lines.push(`${line}\n`);
    this.#chars += line.length;
    this.#count++;
    // The browser may put a Blob on the disk; texts it keeps in memory.
    if (this.#chars >= 1_000_000) this.#flush();
  }

  save(name: string): void {
    this.#flush();
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(this.#parts));
    link.download = name;
    link.click();
    // Not at once: the browser reads it after the click.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  #flush(): void {
    this.#parts.push(new Blob(this.#lines));
    this.#lines = [];
    this.#chars = 0;
  }
}

/** A name for a file, made of what people called something: `Big spenders` → `big-spenders`. */
export function fileNameOf(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 80) || 'tidemark'
  );
}
