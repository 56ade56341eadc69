/** Longest text of others that goes into a message. */
const saidMax = 300;
/** The length that is evaluated: masking a megabyte takes a while. */
const lookedAtMax = 16 * 1024;
/** What is shorter is no secret, and would be found everywhere. */
const secretCharsMin = 6;

/** Headers of requests whose values prove who we are. */
const secretHeaders = ['authorization', 'x-amz-security-token', 'x-amz-server-side-encryption-customer-key', 'cookie'];

/** Signatures and tokens in the forms in which they are sent. */
const shownProof = /((?:Signature|sig)=|Bearer\s+|Basic\s+|SharedKey(?:Lite)?\s+[^\s:]{1,100}:)[^\s"',;<&]{1,4096}/gi;

/**
 * One line of a text from another program, for a message: without control and formatting characters, without `secrets` and
 * whatever looks like a signature or a token, and cut.
 */
export function saidText(text: string, secrets: readonly string[] = []): string {
  let line = text.slice(0, lookedAtMax).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  for (const secret of secrets) if (secret.length >= secretCharsMin) line = line.replaceAll(secret, '***');
  line = line.replace(shownProof, '$1***').trim();
  return line.length > saidMax ? `${line.slice(0, saidMax)}…` : line;
}

/** The secrets in the headers of a request, which a server may repeat: whole values, and the proof at their end. */
export function sentSecrets(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).filter(([name]) => secretHeaders.includes(name.toLowerCase()));
  return values.flatMap(([, value]) => [value, value.split(/[\s=:]+/).findLast((part) => part !== '') ?? '']);
}

/** Whether an answer is for people. Without a body (HEAD) its type says nothing. */
export function isWebPage(text: string, contentType = ''): boolean {
  return (
    text.trim() !== '' && (/^\s*(?:<!doctype html|<html)/i.test(text.slice(0, 1_000)) || /html/i.test(contentType))
  );
}
