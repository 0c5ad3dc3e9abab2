/** A time zone by its IANA name, with those that this browser knows as suggestions; empty is the service's own. */
export function ZoneField({ value = '' }: { readonly value?: string }) {
  return (
    <label>
      <span class="label">Time zone</span>
      <input
        name="timezone"
        list="time-zones"
        maxLength={100}
        defaultValue={value}
        placeholder="Europe/Berlin"
        autoComplete="off"
        spellcheck={false}
      />
      <datalist id="time-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </label>
  );
}
