import type { EnvVar, Volume } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { scratchVariables } from './scratch-variable.ts';

const env: EnvVar[] = [{ name: 'VELERO_SCRATCH_DIR', value: '/scratch' }];
const volumeMounts = [
  { name: 'secrets', mountPath: '/secrets' },
  { name: 'work', mountPath: '/scratch' },
];
const secrets: Volume = { name: 'secrets', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } };

it.each<[string, Volume, readonly EnvVar[], string | undefined]>([
  ['a bounded scratch volume', { name: 'work', emptyDir: { sizeLimit: '1500Mi' } }, env, '1572864000'],
  ['one without a bound', { name: 'work', emptyDir: {} }, env, undefined],
  ['a claim of its own', { name: 'work', persistentVolumeClaim: { claimName: 'x' } }, env, undefined],
  ['no such volume', { name: 'other', emptyDir: { sizeLimit: '1Gi' } }, env, undefined],
  ['scratch that is nowhere named', { name: 'work', emptyDir: { sizeLimit: '1Gi' } }, [], undefined],
])('%s', (_, work, given, bytes) => {
  const told = scratchVariables({ container: { env: [...given], volumeMounts }, volumes: [secrets, work] });
  expect(told).toEqual(bytes === undefined ? [] : [{ name: 'LATEEN_SCRATCH_BYTES', value: bytes }]);
});
