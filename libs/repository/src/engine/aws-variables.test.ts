import type { S3Location } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { checkResticTakesRole } from '../restic/restic-roles.ts';
import { awsVariables, podKeysSource } from './aws-variables.ts';
import { disclosureOf } from './disclosure.ts';
import { engineFailure, repositoryFailures } from './engine-failure.ts';
import { failuresAt } from './role-failures.ts';

const atAws: S3Location = {
  provider: 's3',
  name: 'default',
  bucket: 'b',
  prefix: '',
  readOnly: false,
  region: 'eu-west-1',
  endpoint: 's3-eu-west-1.amazonaws.com',
  tls: true,
  verifyTls: true,
  pathStyle: false,
  credentials: { identity: 'pod', insteadOf: 'Secret velero/cloud-credentials key cloud' },
};
const keys = { AWS_ACCESS_KEY_ID: 'POD-KEY', AWS_SECRET_ACCESS_KEY: 'pod-secret-1', AWS_SESSION_TOKEN: 'pod-token-1' };
const webIdentity = { AWS_ROLE_ARN: 'arn:r', AWS_WEB_IDENTITY_TOKEN_FILE: '/t' };
const agent = {
  AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/p',
};
const others = { AWS_PROFILE: 'p', AWS_SHARED_CREDENTIALS_FILE: '/f', SECRET: 'x', AWS_REGION: 'us-east-1' };

describe('awsVariables of a pod with its own identity', () => {
  it.each([
    ['keys', { ...keys, ...webIdentity, ...agent }, keys],
    [
      'webIdentity',
      { ...webIdentity, ...agent },
      { ...webIdentity, AWS_ROLE_SESSION_NAME: 'lateen', AWS_REGION: 'us-east-1' },
    ],
    ['agent', agent, agent],
    ['node', {}, {}],
  ] as const)('come only from the first source: %s', (source, own, variables) => {
    expect(podKeysSource(own)).toBe(source);
    expect(awsVariables(atAws, { ...own, ...others })).toEqual(variables);
  });

  it('use the token service in the pod’s region, or in the bucket’s region when the pod has none', () => {
    const regionOf = (own: Record<string, string>, region = 'eu-west-1') =>
      awsVariables({ ...atAws, region }, { ...webIdentity, ...own }).AWS_REGION;
    expect(regionOf({ AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-2' })).toBe('us-east-1');
    expect(regionOf({ AWS_DEFAULT_REGION: 'us-east-2' })).toBe('us-east-2');
    expect(regionOf({})).toBe('eu-west-1');
    expect(regionOf({}, '')).toBeUndefined();
  });

  it('keep the session name of the pod', () => {
    const own = { ...webIdentity, AWS_ROLE_SESSION_NAME: 'mine' };
    expect(awsVariables(atAws, own)).toMatchObject({ AWS_ROLE_SESSION_NAME: 'mine' });
  });

  it('bypass the proxy for addresses that only the node answers', () => {
    const proxied = { HTTP_PROXY: 'http://proxy:3128' };
    expect(awsVariables(atAws, proxied)).toEqual({ NO_PROXY: '169.254.169.254' });
    expect(awsVariables(atAws, { ...proxied, NO_PROXY: '.svc', ...agent })).toMatchObject({
      NO_PROXY: '.svc,169.254.170.23',
    });
  });
});

it('ignore a role of the pod when the location has its own Secret', () => {
  const credentials = { accessKeyId: 'OWN', secretAccessKey: 'own-secret' };
  expect(awsVariables({ ...atAws, credentials }, { ...keys, ...webIdentity, ...agent })).toEqual({
    AWS_ACCESS_KEY_ID: 'OWN',
    AWS_SECRET_ACCESS_KEY: 'own-secret',
  });
});

it('restic is rejected for a location whose keys come only from EKS Pod Identity', () => {
  expect(() => checkResticTakesRole(atAws, agent)).toThrow(
    expect.objectContaining({ code: 'LOCATION_UNSUPPORTED', nextStep: expect.stringContaining('kopia') }),
  );
  for (const own of [{ ...webIdentity, ...agent }, keys, {}]) checkResticTakesRole(atAws, own);
  const credentials = { accessKeyId: 'OWN', secretAccessKey: 'own-secret' };
  checkResticTakesRole({ ...atAws, credentials }, agent);
});

describe('the error for a rejected request', () => {
  const exit = {
    exitCode: 1,
    endedBy: undefined,
    stdout: '',
    stderr: 'ERROR Access Denied. pod-secret-1',
    aborted: false,
  };
  const said = (location: S3Location, how = exit) => {
    const target = { location, volumeNamespace: 'shop', password: 'password-1', uid: 'U', cacheLimitMB: 1 };
    const { where, secrets } = disclosureOf(target, 'p/', awsVariables(location, keys));
    return engineFailure(how, failuresAt(location, repositoryFailures), {
      subject: { repository: where, doing: 'opening' },
      fallbackCode: 'ENGINE_FAILED',
      secrets,
    });
  };

  it('names the role, if there is one, and none of the pod’s keys', () => {
    const role = { roleArn: 'arn:aws:iam::1:role/b', webIdentityTokenFile: '/t' };
    expect(said({ ...atAws, credentials: role })).toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
      message: expect.stringContaining('to role arn:aws:iam::1:role/b, or that role provides no keys'),
      nextStep: expect.stringContaining('trust policy'),
    });
    const error = said(atAws);
    expect(error.message).toContain('to the role of the pod');
    expect(error.message).not.toContain('pod-secret-1');
  });

  it('names the Secret, if there is one, and reports expired keys', () => {
    const credentials = { accessKeyId: 'OWN', secretAccessKey: 'own-secret' };
    expect(said({ ...atAws, credentials }).nextStep).toContain('Secret');
    const expired = { ...exit, stderr: 'error retrieving storage config: The provided token has expired.' };
    expect(said({ ...atAws, credentials }, expired)).toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
      message: expect.stringContaining('expired'),
    });
  });
});
