/** Tokens of service accounts have about one KiB. */
const tokenLengthMax = 16 * 1024;

/**
 * The token of a request. Clients made for Longhorn only support basic authentication, and send none by default: then the password is used as the
 * token. Undefined when there is none.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, scheme = '', sent = ''] = /^(\w+) +(\S+)$/.exec(authorization ?? '') ?? [];
  const token = scheme.toLowerCase() === 'bearer' ? sent : scheme.toLowerCase() === 'basic' ? passwordOf(sent) : '';
  return token === '' || token.length > tokenLengthMax ? undefined : token;
}

function passwordOf(encoded: string): string {
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? '' : text.slice(colon + 1);
}
