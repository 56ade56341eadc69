/** What stands in place of a secret. */
export const redacted = '[redacted]';

/** Names, without dashes, underscores and case, whose values are secret wherever they stand. */
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

/** Ends of such names: `repositoryPassword`, `sessionToken`; but `secretName` and `tokenFile` only point at a secret. */
const secretEnding = /(password|secret|token|secretkey|secretaccesskey|privatekey)$/;

/** Decides by name which fields hold secrets; `extra` names are taken whatever their spelling. */
export function secretTest(extra: readonly string[] = []): (name: string) => boolean {
  const names = new Set([...secretNames, ...extra.map(plain)]);
  // Field names are few and come again and again; the bound is for maps with arbitrary keys (labels).
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
  // What makes a signed link of S3, Google or Azure valid
  [
    /([?&](?:X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|Signature|AWSAccessKeyId|sig)=)[^&\s"'<>\\]+/gi,
    `$1${redacted}`,
  ],
  // PGPASSWORD=…, "password": "…"
  [/\b(\w*(?:SECRET_ACCESS_KEY|PASSWORD|PASSWD|TOKEN))(["']?\s*[=:]\s*)\S+/gi, `$1$2${redacted}`],
];

/** Takes credentials out of text that others wrote, such as error messages; knows only common forms. */
export function redactText(text: string): string {
  return secretsInText.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
}
