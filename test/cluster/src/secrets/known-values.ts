import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { systemRandom } from '@lateen/kernel';
import type { KnownSecret } from '@lateen/testing';
import { freshSecret } from './fresh-secret.ts';
import type { S3Account } from './s3-accounts.ts';

/** All secrets that users give to an installation, generated for this run. */
export function knownValues() {
  const password = freshSecret('the repository password');
  const newPassword = freshSecret('the new repository password');
  const wrongPassword = freshSecret('a wrong repository password');
  const installKey = freshSecret('the S3 key of the installation');
  const ownKey = freshSecret('the S3 key of a location');
  const rotatedKey = freshSecret('the S3 key after it');
  const wrongKey = freshSecret('a wrong S3 key');
  const token = freshSecret('a session token');
  const azureKey = { name: 'an account key of Azure', value: randomBytes(64).toString('base64') };
  const google = googleKey();
  const account = (secret: KnownSecret): S3Account => ({
    accessKeyId: `KEY${systemRandom.suffix(12).toUpperCase()}`,
    secretAccessKey: secret.value,
  });
  const accounts = { install: account(installKey), own: account(ownKey), rotated: account(rotatedKey) };
  return {
    password,
    newPassword,
    wrongPassword,
    token,
    azureKey,
    google,
    accounts,
    wrongAccount: { ...accounts.own, secretAccessKey: wrongKey.value },
    all: [
      password,
      newPassword,
      wrongPassword,
      installKey,
      ownKey,
      rotatedKey,
      wrongKey,
      token,
      azureKey,
      google.privateKey,
    ] as readonly KnownSecret[],
  };
}

/**
 * The key file of a service account. The secret to search for is one line of its private key, because a text may break the key into other
 * lines.
 */
function googleKey() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const json = (tokenUri: string): string =>
    JSON.stringify({
      type: 'service_account',
      project_id: 'project',
      private_key_id: 'key-1',
      client_id: '1',
      client_email: 'lateen@project.test',
      private_key: privateKey,
      token_uri: tokenUri,
    });
  return { json, privateKey: { name: 'a key of Google', value: privateKey.split('\n')[9] ?? '' } };
}
