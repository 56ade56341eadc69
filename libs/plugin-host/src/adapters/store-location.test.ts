import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CredentialFiles, credentialFilesIn } from '@lateen/native-snapshots';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toldLocation } from './store-location.ts';

let directory = '';
let files: CredentialFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-location-'));
  files = credentialFilesIn(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const location = { plugin: 'example.io/store', bucket: 'b', prefix: 'p', config: { region: 'eu' } };

it('passes config, bucket and prefix to a plugin, and CAs only if there are any', async () => {
  await using plain = await toldLocation(location, files);
  expect(plain.config).toEqual({ region: 'eu', bucket: 'b', prefix: 'p' });
  await using trusting = await toldLocation({ ...location, caPem: 'PEM' }, files);
  expect(trusting.config).toEqual({ region: 'eu', bucket: 'b', prefix: 'p', caCert: 'PEM' });
  expect(await readdir(directory)).toEqual([]);
});

it('writes credentials to a file that only this user can read, while the store is in use', async () => {
  const told = await toldLocation({ ...location, credentials: 'key=secret' }, files);
  const file = told.config.credentialsFile ?? '';
  expect(await readFile(file, 'utf8')).toBe('key=secret');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(told.config)).not.toContain('secret');
  await told[Symbol.asyncDispose]();
  expect(await readdir(directory)).toEqual([]);
});
