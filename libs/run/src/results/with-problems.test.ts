import type { Results } from '@lateen/backup-store';
import { expect, it } from 'vitest';
import { withProblems } from './with-problems.ts';

const redact = (text: string): string => text.replaceAll('hunter2', '…');

it('puts each problem into its list once, and keeps existing ones', () => {
  const before = { warnings: { velero: ['w'] }, errors: { cluster: ['a'] } };
  const problems = [
    { fields: { resource: 'pods', namespace: 'shop', name: 'web', reason: 'hunter2' }, message: 'cannot' },
    { fields: { resource: 'nodes', name: 'n' }, message: 'cannot' },
    { fields: {}, message: 'cannot' },
  ];
  const after = {
    warnings: { velero: ['w'] },
    errors: {
      velero: [' message: /cannot'],
      cluster: ['a', ' resource: /nodes name: /n message: /cannot'],
      namespaces: { shop: [' resource: /pods name: /web message: /cannot error: /…'] },
    },
  };
  expect(withProblems(before, problems, redact)).toEqual(after);
  expect(withProblems(after, problems, redact)).toEqual(after);
  expect(before.errors).toEqual({ cluster: ['a'] });
});

it('accepts results of another writer without any errors', () => {
  const before = { warnings: {} } as Results;
  expect(withProblems(before, [{ fields: {}, message: 'x' }], redact).errors).toEqual({ velero: [' message: /x'] });
});
