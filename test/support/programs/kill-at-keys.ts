/** Preloaded: the process dies at the moment in which it would show the keys of the first project. */
const write = process.stdout.write.bind(process.stdout);

process.stdout.write = (text: string | Uint8Array, ...rest: []) => {
  if (String(text).includes('shown only this once')) process.kill(process.pid, 'SIGKILL');
  return write(text, ...rest);
};
