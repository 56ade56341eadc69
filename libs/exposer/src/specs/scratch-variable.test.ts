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
  ['a scratch volume with a size limit', { name: 'work', emptyDir: { sizeLimit: '1500Mi' } }, env, '1572864000'],
  ['a scratch volume without a size limit', { name: 'work', emptyDir: {} }, env, undefined],
  ['a scratch volume with its own claim', { name: 'work', persistentVolumeClaim: { claimName: 'x' } }, env, undefined],
  ['a missing scratch volume', { name: 'other', emptyDir: { sizeLimit: '1Gi' } }, env, undefined],
  ['a scratch directory without a variable', { name: 'work', emptyDir: { sizeLimit: '1Gi' } }, [], undefined],
])('%s', (_, work, given, bytes) => {
  const told = scratchVariables({ container: { env: [...given], volumeMounts }, volumes: [secrets, work] });
  expect(told).toEqual(bytes === undefined ? [] : [{ name: 'LATEEN_SCRATCH_BYTES', value: bytes }]);
});
