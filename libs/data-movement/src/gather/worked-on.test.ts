import { aDataUpload } from '@lateen/testing';
import { expect, it } from 'vitest';
import { WorkedOn } from './worked-on.ts';

const attempt = (number: number) => ({ annotations: { 'lateen.dev/attempts': String(number) } });

it('distinguishes an earlier attempt and another object of the same name', () => {
  const worked = new WorkedOn();
  const second = aDataUpload({ uid: 'a', ...attempt(2) });
  expect(worked.relationTo(second)).toBe('nothing');
  worked.remember(second);
  expect(worked.relationTo(second)).toBe('this-attempt');
  expect(worked.relationTo(aDataUpload({ uid: 'a', ...attempt(3) }))).toBe('earlier-attempt');
  // The informer's copy may be the older one: a running exposure must not be stopped because of that.
  expect(worked.relationTo(aDataUpload({ uid: 'a' }))).toBe('this-attempt');
  expect(worked.relationTo(aDataUpload({ uid: 'b' }))).toBe('another-object');
  worked.forget('velero/upload');
  expect(worked.get('velero/upload')).toBeUndefined();
  expect(worked.relationTo(aDataUpload({ uid: 'b' }))).toBe('nothing');
});
