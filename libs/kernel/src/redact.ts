/** The text that replaces a secret. */
export const redacted = '[redacted]';

/** Field names, without dashes, underscores and case, whose values are always secret. */
const secretNames = new Set([
  'accesskey',
  'accesskeyid',
  'apikey',
  'authorization',
  'awsaccesskeyid',
  'awssecretaccesskey',
  'clientkey',
  'clientkeydata',
  'cookie',
  'credential',
  'credentials',
  'passphrase',
  'passwd',
  'setcookie',
  'stringdata',
]);

/** Endings of such names: `repositoryPassword`, `sessionToken`; but `secretName` and `tokenFile` only refer to a secret. */
const secretEnding = /(password|secret|token|secretkey|secretaccesskey|privatekey)$/;

/** Decides by name which fields hold secrets; `extra` names count in any spelling. */
export function secretTest(extra: readonly string[] = []): (name: string) => boolean {
  const names = new Set([...secretNames, ...extra.map(plain)]);
  // A cache, because few field names occur again and again; it is bounded for maps with arbitrary keys (labels).
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const spelled = plain(name);
    const answer = names.has(spelled) || secretEnding.test(spelled);
    if (known.size < knownNamesMax) known.set(name, answer);
    return answer;
  };
}

const knownNamesMax = 1_000;
const plain = (name: string) => name.replace(/[-_.]/g, '').toLowerCase();

const secretsInText: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/g, `$1 ${redacted}`],
  // user:password@ in a URL
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${redacted}@`],
  // The part that makes a signed link of S3, Google or Azure valid
  [
    /([?&](?:X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|Signature|AWSAccessKeyId|sig)=)[^&\s"'<>\\]+/gi,
    `$1${redacted}`,
  ],
  // PGPASSWORD=…, "password": "…"
  [/\b(\w*(?:SECRET_ACCESS_KEY|PASSWORD|PASSWD|TOKEN))(["']?\s*[=:]\s*)\S+/gi, `$1$2${redacted}`],
];

/** Removes credentials from text of other programs, such as error messages; recognises only common forms. */
export function redactText(text: string): string {
  return secretsInText.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
}
