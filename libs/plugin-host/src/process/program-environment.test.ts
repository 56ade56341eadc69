import { expect, it } from 'vitest';
import { programEnvironment } from './program-environment.ts';

const environment = {
  PATH: '/usr/bin',
  HOME: undefined,
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  HTTPS_PROXY: 'http://proxy:3128',
  AWS_SHARED_CREDENTIALS_FILE: '/credentials/cloud',
  VELERO_NAMESPACE: 'of the server',
  REPOSITORY_PASSWORD: 'secret',
  EXTRA: 'wanted',
};

it('passes the variables that programs need to run and to find the API server, and nothing else', () => {
  expect(programEnvironment({ environment, veleroNamespace: 'velero' })).toEqual({
    PATH: '/usr/bin',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    HTTPS_PROXY: 'http://proxy:3128',
    VELERO_NAMESPACE: 'velero',
  });
});

it('passes the location of credentials and further variables only on request', () => {
  const told = programEnvironment({
    environment,
    veleroNamespace: 'velero',
    passCredentials: true,
    passVariables: ['EXTRA'],
  });
  expect(told).toMatchObject({ AWS_SHARED_CREDENTIALS_FILE: '/credentials/cloud', EXTRA: 'wanted' });
  expect(told).not.toHaveProperty('REPOSITORY_PASSWORD');
});
