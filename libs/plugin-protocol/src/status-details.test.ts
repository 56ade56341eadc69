import { describe, expect, it } from 'vitest';
import { stackIn, statusDetails } from './status-details.ts';

describe('stackIn', () => {
  it('reads the output of statusDetails', () => {
    const frames = [{ file: 'action.go', line: 12, function: 'main.execute' }];
    expect(stackIn(statusDetails(2, 'no such claim', frames))).toEqual(frames);
  });

  it('reads the details of a Go program', () => {
    // google.rpc.Status{code: 2, message: "e", details: [Any{generated.Stack{frames: [{file: "f", line: 7, function: "g"}]}}]}
    const bytes =
      '08021201651a310a23747970652e676f6f676c65617069732e636f6d2f67656e6572617465642e537461636b120a0a080a016610071a0167';
    expect(stackIn(Buffer.from(bytes, 'hex'))).toEqual([{ file: 'f', line: 7, function: 'g' }]);
  });

  it('ignores unknown details', () => {
    expect(stackIn(Buffer.from('ffff', 'hex'))).toEqual([]);
    expect(stackIn(Buffer.alloc(0))).toEqual([]);
  });
});
