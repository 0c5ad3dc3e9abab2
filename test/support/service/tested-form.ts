/** The form in which tests run that are for both: embedded, and at night on servers (`TEST_FORM=servers`). */
export const TESTED_FORM = process.env['TEST_FORM'] === 'servers' ? 'servers' : 'embedded';
