import { Field } from '../../parts/form.tsx';

/** A time zone by its IANA name, with those that this browser knows as suggestions; empty is the service's own. */
export function ZoneField({ value = '' }: { readonly value?: string }) {
  return (
    <Field
      label="Time zone"
      name="timezone"
      suggestions={['UTC', ...Intl.supportedValuesOf('timeZone')]}
      maxLength={100}
      defaultValue={value}
      placeholder="Europe/Berlin"
      spellcheck={false}
    />
  );
}
