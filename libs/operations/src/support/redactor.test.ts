import { expect, it } from 'vitest';
import { Redactor } from './redactor.ts';

it('redacts values of fields that are named like secrets, and keeps references to Secrets and everything else', () => {
  const object = {
    metadata: { name: 'default', managedFields: [{ manager: 'kubectl' }], labels: { token: '' } },
    spec: {
      credential: { name: 'cloud-credentials', key: 'cloud' },
      config: { region: 'r', secretAccessKey: 'AAAABBBB', s3Url: 'http://user:pass123@store' },
      count: 3,
    },
  };
  expect(new Redactor().object(object)).toEqual({
    metadata: { name: 'default', labels: { token: '' } },
    spec: {
      credential: { name: 'cloud-credentials', key: 'cloud' },
      config: { region: 'r', secretAccessKey: '[redacted]', s3Url: 'http://[redacted]@store' },
      count: 3,
    },
  });
});

it('redacts values of environment variables, and the same values in other objects and in logs', () => {
  const redactor = new Redactor();
  const pod = {
    args: ['--address=hunter22secret'],
    env: [
      { name: 'RESTIC_PASSWORD', value: 'hunter22secret' },
      { name: 'REGION', value: 'eu' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ],
  };
  expect(redactor.object(pod)).toEqual({
    args: ['--address=[redacted]'],
    env: [
      { name: 'RESTIC_PASSWORD', value: '[redacted]' },
      { name: 'REGION', value: 'eu' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ],
  });
  expect(redactor.text('cannot open with hunter22secret, in eu')).toBe('cannot open with [redacted], in eu');
});

it('does not redact short values in texts, because they can be ordinary words', () => {
  const redactor = new Redactor();
  expect(redactor.object({ password: 'true' })).toEqual({ password: '[redacted]' });
  expect(redactor.text('isReady=true')).toBe('isReady=true');
});

it('redacts the longer one of two values with the same beginning', () => {
  const redactor = new Redactor();
  redactor.object({ password: 'abcdef', token: 'abcdef-more' });
  expect(redactor.text('abcdef-more abcdef')).toBe('[redacted] [redacted]');
});

it('redacts signed links and the last-applied-configuration annotation', () => {
  const object = {
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"spec":{"x":"y"}}' } },
    status: { downloadURL: 'https://store/b?X-Amz-Signature=abc', message: 'GET https://store/b?sig=abc&se=1 failed' },
  };
  expect(new Redactor().object(object)).toEqual({
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '[redacted]' } },
    status: { downloadURL: '[redacted]', message: 'GET https://store/b?sig=[redacted]&se=1 failed' },
  });
});
