import { expect, it } from 'vitest';
import { describeForeign, namedMax } from './describe-foreign.ts';

const object = (kind: string, name: string) => ({ group: '', kind, name, uid: name, labels: {}, owners: [] });

it('names up to the limit, then counts by kind', () => {
  const few = [object('Job', 'a'), object('Pod', 'b')];
  expect(describeForeign({ foreign: few, unseen: [] })).toEqual(['Job a', 'Pod b']);
  const many = [
    ...Array.from({ length: namedMax + 2 }, (_, at) => object('Job', `j${at}`)),
    object('Pod', 'last'),
    object('Pod', 'very-last'),
  ];
  const lines = describeForeign({ foreign: many, unseen: ['cronjobs.batch (forbidden)'] });
  expect(lines.slice(namedMax)).toEqual(['4 more (2 Job, 2 Pod)', 'perhaps some of cronjobs.batch (forbidden)']);
  expect(lines).toHaveLength(namedMax + 2);
});
