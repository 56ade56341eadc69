import { readFileSync } from 'node:fs';

const read = (name: string) => readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8');
const pair = (name: string) => ({ cert: read(`${name}.pem`), key: read(`${name}.key`) });

/** PEM texts. The server's certificate is for 127.0.0.1 and localhost. */
export const testCertificates = () => ({
  ca: read('ca.pem'),
  /** A CA that has signed none of the others. */
  otherCa: read('other-ca.pem'),
  server: pair('server'),
  clients: [pair('client-1'), pair('client-2')] as const,
});
