/** A value that must not appear anywhere. */
export interface KnownSecret {
  /** Name for reports, which never show the value. */
  name: string;
  /** At least {@link secretLengthMin} characters, random in each half. */
  value: string;
}

/** One form in which a secret, or half of it, may appear in a text. */
export interface SecretForm {
  /** `base64 of its first half`. */
  name: string;
  bytes: Uint8Array;
}

/** Half of a shorter secret could be found by chance. */
export const secretLengthMin = 24;

/**
 * All forms in which a value is searched. Halves instead of the whole, because a truncated secret is a
 * leak, too, and a text with the whole secret contains both halves.
 * @throws RangeError when it is too short
 */
export function secretForms(value: string): SecretForm[] {
  if (value.length < secretLengthMin) throw new RangeError(`a secret of ${value.length} characters is too short`);
  const middle = Math.ceil(value.length / 2);
  const halves = [
    { which: 'first', text: value.slice(0, middle) },
    { which: 'last', text: value.slice(middle) },
  ];
  const forms = new Map<string, SecretForm>();
  for (const { which, text } of halves)
    for (const [name, written] of spellings(text)) {
      // The plain form comes first, so that an encoding that changes nothing is not searched twice.
      if (!forms.has(written))
        forms.set(written, { name: `${name} of its ${which} half`, bytes: Buffer.from(written) });
    }
  return [...forms.values()];
}

function spellings(text: string): [name: string, written: string][] {
  const hex = Buffer.from(text).toString('hex');
  return [
    ['the plain text', text],
    ...base64s(text).flatMap((written): [string, string][] => [
      ['base64', written],
      ['base64url', written.replaceAll('+', '-').replaceAll('/', '_')],
    ]),
    ['hex', hex],
    ['hex', hex.toUpperCase()],
    ...percents(text).map((written): [string, string] => ['the URL encoding', written]),
    ...escapes(text).map((written): [string, string] => ['the JSON escape', written]),
    ['the XML escape', xml(text)],
    ['the quoting of a shell', text.replaceAll("'", `'\\''`)],
    ['the quoting of YAML', text.replaceAll("'", "''")],
  ];
}

/**
 * The base64 form of a text depends on its offset in the whole, so there are three; without the characters that also
 * depend on what is before and after it.
 */
function base64s(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const written = bytes.toString('base64');
    return written.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
}

/** URL encodings: as a component, as a form field, with every character encoded, and as a URL that keeps its reserved characters. */
function percents(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [component, strict, strict.replaceAll('%20', '+'), encodeURI(text)];
  return all.flatMap((written) => [written, written.replaceAll(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())]);
}

/** JSON as JavaScript and Go write it, with and without characters outside ASCII, and JSON within JSON. */
function escapes(text: string): string[] {
  const inner = (each: string) => JSON.stringify(each).slice(1, -1);
  const coded = (each: string) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const plain = inner(text);
  const go = plain.replaceAll(/[<>&\u2028\u2029]/g, coded);
  const ascii = plain.replaceAll(/[^\x20-\x7e]/g, coded);
  return [plain, go, ascii].flatMap((each) => [each, inner(each)]);
}

function xml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
  return text.replaceAll(/[&<>"']/g, (each) => `&${entities[each]};`);
}
