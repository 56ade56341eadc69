import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { type Emulator, startEmulator } from './emulator.ts';

export interface FakeGcs extends AsyncDisposable {
  emulator: Emulator;
  /** The JSON key of a service account whose tokens come from the test itself. */
  serviceAccount: { kind: 'serviceAccount'; json: string; email: string; privateKey: string };
  /** Access tokens that were issued; each is a secret. */
  tokens: string[];
}

/** fake-gcs-server with TLS, together with its token service. */
export async function startFakeGcs(): Promise<FakeGcs> {
  const { 'fake-gcs-server': program = '' } = await ensureParts(['fake-gcs-server'], silentProgress);
  const emulator = await startEmulator({
    dnsNames: ['storage.googleapis.com'],
    command: ({ directory, port, certificate, key }) => ({
      file: program,
      args: [
        '-scheme=https',
        '-host=127.0.0.1',
        `-port=${port}`,
        `-cert-location=${certificate}`,
        `-private-key-location=${key}`,
        '-public-host=storage.googleapis.com',
        '-backend=filesystem',
        `-filesystem-root=${join(directory, 'data')}`,
        '-log-level=error',
      ],
    }),
  });
  const authority = await startAuthority();
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const email = 'lateen@project.test';
  const json = JSON.stringify({
    type: 'service_account',
    project_id: 'project',
    private_key_id: 'key-1',
    client_id: '1',
    client_email: email,
    private_key: privateKey,
    token_uri: authority.uri,
  });
  return {
    emulator,
    serviceAccount: { kind: 'serviceAccount', json, email, privateKey },
    tokens: authority.tokens,
    [Symbol.asyncDispose]: async () => {
      await authority.close();
      await emulator[Symbol.asyncDispose]();
    },
  };
}

/** Issues a token for every assertion. */
async function startAuthority() {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (!new URLSearchParams(body).get('assertion')) {
        response.writeHead(400).end('{"error":"invalid_grant"}');
        return;
      }
      const token = `google-access-token-${tokens.length}`;
      tokens.push(token);
      response.end(JSON.stringify({ access_token: token, expires_in: 3600, token_type: 'Bearer' }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    tokens,
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
