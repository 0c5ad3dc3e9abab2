/** Stands in until the builder is there. */
export function BuilderScreen({ id }: { readonly id: string | undefined }) {
  return (
    <div class="screen">
      <h1>{id === undefined ? 'New audience' : 'Edit the audience'}</h1>
    </div>
  );
}
