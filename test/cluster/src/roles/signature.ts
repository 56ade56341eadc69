import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** A request with signature version 4 in its header (Amazon S3 API reference, "Signature Calculations for the Authorization Header"). */
export interface SignedRequest {
  accessKeyId: string;
  /** Whether the signature is that of `secret`. */
  isSignedBy(secret: string): boolean;
  /** The headers of the same request without a session token, signed with other keys. */
  headersSignedBy(keys: { accessKeyId: string; secretAccessKey: string }): Record<string, string>;
}

/** Undefined for a request without such a signature. */
export function signedRequest(incoming: IncomingMessage): SignedRequest | undefined {
  const { authorization = '' } = incoming.headers;
  const parts = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]+)$/;
  const [, accessKeyId, scope, names, signature] = parts.exec(authorization) ?? [];
  if (accessKeyId === undefined || scope === undefined || names === undefined) return undefined;
  const { authorization: _, 'x-amz-security-token': __, ...others } = incoming.headers as Record<string, string>;
  const sign = (secret: string, signed: string) => signatureOf(incoming, scope, signed.split(';'), secret);
  return {
    accessKeyId,
    isSignedBy: (secret) => sign(secret, names) === signature,
    headersSignedBy: (keys) => {
      const rest = names.split(';').filter((name) => name !== 'x-amz-security-token');
      const value = sign(keys.secretAccessKey, rest.join(';'));
      const credential = `${keys.accessKeyId}/${scope}`;
      return {
        ...others,
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${rest.join(';')}, Signature=${value}`,
      };
    },
  };
}

function signatureOf(incoming: IncomingMessage, scope: string, names: readonly string[], secret: string): string {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?');
  const parameters = query === '' ? [] : query.split('&').map((part) => (part.includes('=') ? part : `${part}=`));
  const value = (name: string) =>
    String(incoming.headers[name] ?? '')
      .trim()
      .replace(/ +/g, ' ');
  const canonical = [
    incoming.method,
    path,
    parameters.toSorted().join('&'),
    ...names.map((name) => `${name}:${value(name)}`),
    '',
    names.join(';'),
    value('x-amz-content-sha256'),
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const [day = '', region = '', service = ''] = scope.split('/');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request');
  return hmac(key, ['AWS4-HMAC-SHA256', value('x-amz-date'), scope, hash].join('\n')).toString('hex');
}
