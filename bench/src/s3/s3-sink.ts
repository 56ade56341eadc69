import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * Accepts and discards everything, and answers like S3; `cert.pem` and `key.pem` are in the directory of its argument. Prints its two
 * ports, http and https, and ends with its standard input.
 */
const [directory = '.'] = process.argv.slice(2);
const listener: RequestListener = (request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    if (request.method !== 'POST') response.writeHead(200, { etag: '"1"' }).end();
    else if (request.url?.includes('uploads') === true)
      response.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
    else response.end('<CompleteMultipartUploadResult/>');
  });
};
const pem = (name: string) => readFileSync(join(directory, `${name}.pem`));
const plain = createServer(listener).listen(0, '127.0.0.1');
const tls = createTlsServer({ cert: pem('cert'), key: pem('key') }, listener).listen(0, '127.0.0.1');
const portOf = (address: AddressInfo | string | null) => (typeof address === 'object' ? address?.port : undefined);
tls.once('listening', () => console.log(`${portOf(plain.address())} ${portOf(tls.address())}`));
process.stdin.resume().on('end', () => process.exit(0));
