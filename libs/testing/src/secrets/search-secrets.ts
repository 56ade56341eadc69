import { type KnownSecret, secretForms } from './secret-forms.ts';

/** A found secret. Contains no part of it. */
export interface SecretHit {
  /** Name of the secret. */
  secret: string;
  /** The form in which it was found: `base64 of its first half`. */
  form: string;
  /** Offset of the form in the bytes. */
  offset: number;
}

/** Looks for secrets in bytes of any kind. */
export interface SecretSearch {
  /** The first position of each form. */
  inBytes(bytes: Uint8Array): SecretHit[];
  inText(text: string): SecretHit[];
  /** The same for data in chunks; a form across a chunk boundary is found. */
  inChunks(chunks: AsyncIterable<Uint8Array>): Promise<SecretHit[]>;
}

interface Needle {
  id: string;
  secret: string;
  form: string;
  bytes: Uint8Array;
}

/** Searches all forms of all secrets in one pass: a table of their first two bytes excludes nearly every position. */
export function secretSearch(secrets: readonly KnownSecret[]): SecretSearch {
  const needles = secrets.flatMap(({ name, value }) =>
    secretForms(value).map(
      (form, at): Needle => ({ id: `${name} ${at}`, secret: name, form: form.name, bytes: form.bytes }),
    ),
  );
  const byStart = new Map<number, Needle[]>();
  const starts = new Uint8Array(0x1_00_00);
  for (const needle of needles) {
    const start = ((needle.bytes[0] ?? 0) << 8) | (needle.bytes[1] ?? 0);
    byStart.set(start, [...(byStart.get(start) ?? []), needle]);
    starts[start] = 1;
  }
  const longest = Math.max(1, ...needles.map(({ bytes }) => bytes.length));

  const search = (bytes: Uint8Array, base: number, found: Map<string, SecretHit>): void => {
    let start = bytes[0] ?? 0;
    for (let at = 1; at < bytes.length; at++) {
      start = ((start << 8) | (bytes[at] as number)) & 0xff_ff;
      if (starts[start] === 0) continue;
      for (const { id, secret, form, bytes: wanted } of byStart.get(start) ?? [])
        if (!found.has(id) && standsAt(bytes, at - 1, wanted)) found.set(id, { secret, form, offset: base + at - 1 });
    }
  };
  const inBytes = (bytes: Uint8Array): SecretHit[] => {
    const found = new Map<string, SecretHit>();
    search(bytes, 0, found);
    return [...found.values()];
  };
  return {
    inBytes,
    inText: (text) => inBytes(Buffer.from(text)),
    inChunks: async (chunks) => {
      const found = new Map<string, SecretHit>();
      let kept: Uint8Array = new Uint8Array();
      let base = 0;
      for await (const chunk of chunks) {
        const bytes = Buffer.concat([kept, chunk]);
        search(bytes, base, found);
        // Copied, because a stream may reuse its buffer.
        kept = Uint8Array.from(bytes.subarray(Math.max(0, bytes.length - longest + 1)));
        base += bytes.length - kept.length;
      }
      return [...found.values()];
    },
  };
}

function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (at + wanted.length > bytes.length) return false;
  for (let each = 2; each < wanted.length; each++) if (bytes[at + each] !== wanted[each]) return false;
  return true;
}
