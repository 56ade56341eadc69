import { expect, it } from 'vitest';
import { applyReport } from './report-apply.ts';

it.each([
  [[], ''],
  [['spec.a', 'spec.b'], '  (spec.a, spec.b)'],
  [['1', '2', '3', '4', '5', '6', '7'], '  (1, 2, 3, 4, 5 and 2 more fields)'],
])('lists the readable parts of %j', (fields, wanted) => {
  const out: string[] = [];
  const output = { write: (text: string) => out.push(text) };
  const report = applyReport({ stdout: output, stderr: { write: () => true } });
  report.onEvent({
    kind: 'applied',
    object: 'Deployment a/b',
    change: 'configured',
    fields,
    keepsPods: true,
    done: 1,
    total: 1,
  });
  expect([...report.kept()]).toEqual(['Deployment a/b']);
  expect(out).toEqual([`configured  Deployment a/b${wanted}\n`]);
});
