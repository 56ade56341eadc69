/** Tokens of service accounts have about one KiB. */
const tokenLengthMax = 16 * 1024;

/**
 * The token that a request came with. Clients made for Longhorn can only do basic authentication, and send none by default: the password is taken for the
 * token then. Undefined when there is none.
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
