import { describeError } from '@lateen/errors';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { podKeys } from './pod-keys.ts';

const identity = { identity: 'pod', insteadOf: 'Secret velero/cloud-credentials key cloud' } as const;
const keysOf = (environment: Record<string, string>) =>
  podKeys(identity, {
    environment,
    clock: new FakeClock(),
    location: { region: 'eu-west-1' },
    proxyFor: () => undefined,
  }).keys();

describe('keys of a location without a Secret', () => {
  it('come from the pod', async () => {
    const keys = await keysOf({ AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' });
    expect(keys).toEqual({ accessKeyId: 'A', secretAccessKey: 'S' });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['the platform provides none', { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' }, /metadata service/],
    ['the token file is missing', { AWS_ROLE_ARN: 'arn:r', AWS_WEB_IDENTITY_TOKEN_FILE: '/no/such/token' }, /token/],
  ])('are an error that names both options when %s', async (_, environment, cause) => {
    const error = await keysOf(environment).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE', retry: 'later' });
    const text = describeError(error);
    expect(text).toContain('Secret velero/cloud-credentials key cloud does not exist');
    expect(text).toContain('give the service account or the node a role');
    expect(text).toMatch(cause);
  });
});
