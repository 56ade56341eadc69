import { byteSize } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import { type Condition, int64Of } from '@lateen/storage-types';
import type { ResourceColumn } from '../output/resource-table.ts';

/** The text of a size that an object stores as a string of bytes. */
export const sizeText = (text: string | undefined): string => {
  const bytes = int64Of(text);
  return bytes === undefined ? (text ?? '') : byteSize(Number(bytes));
};

export const nameColumn = <T extends KubeObject>(): ResourceColumn<T> => ({
  head: 'NAME',
  cell: ({ metadata }) => metadata.name ?? '',
});

export const ageColumn = <T extends KubeObject>(nowMs: number): ResourceColumn<T> => ({
  head: 'AGE',
  cell: ({ metadata: { creationTimestamp } }) =>
    typeof creationTimestamp === 'string' ? age(nowMs - Date.parse(creationTimestamp)) : '<unknown>',
});

export const conditionOf = (conditions: readonly Condition[] | null | undefined, type: string): Condition | undefined =>
  conditions?.find((each) => each.type === type);

export const yesNo = (value: boolean | undefined): string => (value === true ? 'yes' : 'no');
