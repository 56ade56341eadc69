import { expect, it } from 'vitest';
import { connectionError } from './connection-error.ts';

const failed = (code: string) => Object.assign(new Error(`raw ${code}`), { code });

it.each([
  [failed('ECONNREFUSED'), 'connection refused', 'soon', true],
  [failed('ENOTFOUND'), 'host name not found', 'never', true],
  [failed('EAI_AGAIN'), 'host name could not be looked up', 'soon', true],
  [failed('UND_ERR_CONNECT_TIMEOUT'), 'no connection within the time limit', 'soon', true],
  [failed('ECONNRESET'), 'the connection was interrupted', 'soon', false],
  [failed('UND_ERR_HEADERS_TIMEOUT'), 'no answer within the time limit', 'soon', false],
  [failed('CERT_HAS_EXPIRED'), 'its certificate has expired', 'never', true],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'for another host name', 'never', true],
  [failed('ERR_SSL_WRONG_VERSION_NUMBER'), 'the TLS handshake failed', 'never', true],
  [new Error('outer', { cause: failed('ECONNREFUSED') }), 'connection refused', 'soon', true],
  [new AggregateError([failed('ECONNREFUSED'), failed('ENETUNREACH')]), 'connection refused', 'soon', true],
  [new Error('who knows'), 'the connection was interrupted', 'soon', false],
  ['text', 'the connection was interrupted', 'soon', false],
])('%s: %s', (error, text, retry, neverSent) => {
  const made = connectionError(error, { purpose: 'list pods' }, 'https://h:1');
  expect(made.message).toContain('cannot list pods at the API server https://h:1: ');
  expect(made.message).toContain(text);
  expect(made).toMatchObject({ code: 'KUBE_UNAVAILABLE', retry, cause: error, details: { neverSent } });
  expect(made.nextStep).toMatch(/\w/);
});
