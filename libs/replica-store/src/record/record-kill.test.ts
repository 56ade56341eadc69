import { describe, expect, it } from 'vitest';
import { createRecord } from './record-create.ts';
import { closedRecord, comparedRecord, killedRecord, needsWholeHead, servedRecord } from './record-kill.ts';
import { promiseRecord } from './record-promise.ts';
import { beginRebuild } from './record-rebuild.ts';
import type { ReplicaRecord } from './replica-record.ts';

const empty = createRecord({ volume: 'v', volumeUid: 'u', replica: 'r', sizeBytes: 8192n, state: 'new' });
const promised = (record: ReplicaRecord, generation: number) => promiseRecord(record, { generation, engine: 'e' });
const served = (record: ReplicaRecord, generation: number) => servedRecord(promised(record, generation), generation);
const killed = killedRecord(served(empty, 3));
const thrown = (code: string) => expect.objectContaining({ code, nextStep: expect.any(String) });

describe('a replica whose daemon was killed', () => {
  it('is marked only if it was served and not closed', () => {
    expect(killed).toMatchObject({ servedIn: 0, killedIn: 3 });
    expect(killedRecord(promised(empty, 3))).toMatchObject({ servedIn: 0, killedIn: 0 });
    expect(killedRecord(closedRecord(served(empty, 3)))).toMatchObject({ servedIn: 0, killedIn: 0 });
  });
  it('records the generation that it served last, whatever it promised later', () => {
    expect(killedRecord(promised(served(empty, 3), 4))).toMatchObject({ killedIn: 3 });
    expect(killedRecord(served(killed, 5))).toMatchObject({ killedIn: 5 });
    expect(killedRecord(killed)).toEqual(killed);
  });
  it('is served only in a later generation, which compares it with the others', () => {
    expect(() => servedRecord(killed, 3)).toThrow(thrown('REPLICA_LAGS'));
    expect(served(killed, 4)).toMatchObject({ servedIn: 4, killedIn: 3 });
  });
  it.each([
    ['in this generation', 4, 0],
    ['in the generation in which it was killed', 3, 3],
    ['in a generation that it has not promised', 5, 3],
  ])('clears the mark only after a comparison in the current generation: %s', (_, generation, killedIn) => {
    expect(comparedRecord(served(killed, 4), generation)).toMatchObject({ killedIn });
  });
  it('is marked again when it is killed after or during the comparison', () => {
    expect(comparedRecord(killedRecord(served(killed, 4)), 4)).toMatchObject({ killedIn: 4 });
  });
  it('has no mark at the start of a rebuild, which discards the head', () => {
    expect(servedRecord(beginRebuild(killed, 8192n), 3)).toMatchObject({
      state: 'rebuilding',
      servedIn: 3,
      killedIn: 0,
    });
  });
  it('must begin its rebuild again when it was killed during the rebuild', () => {
    const again = killedRecord(servedRecord(beginRebuild(killed, 8192n), 3));
    expect(() => served(again, 4)).toThrow(thrown('REPLICA_LAGS'));
    expect(() => needsWholeHead(again)).toThrow(thrown('REPLICA_LAGS'));
    expect(() => needsWholeHead(killed)).not.toThrow();
  });
});
