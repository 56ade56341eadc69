import type { Unstructured } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { desiredState } from './desired-state.ts';
import { isSame } from './merge-difference.ts';

interface Row {
  title: string;
  original: object;
  /** The object after the actions; default: unchanged. */
  acted?: object;
  /** The object after the modifiers; default: as after the actions. */
  wanted?: object;
  there: object;
  /** Absent: the existing object already has the desired state. */
  desired?: object;
}

const object = (spec: object): Unstructured => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec });

const rows: Row[] = [
  { title: 'as in the backup', original: { a: 1 }, there: { a: 1 } },
  { title: 'another value', original: { a: 1 }, there: { a: 2 }, desired: { a: 1 } },
  { title: 'a field that is missing', original: { a: 1, b: 2 }, there: { a: 1 }, desired: { a: 1, b: 2 } },
  { title: 'a field that somebody has added', original: { a: 1 }, there: { a: 1, b: 2 }, desired: { a: 1 } },
  {
    title: 'a field that an action clears and the cluster has given anew',
    original: { ip: '10.0.0.1', a: 1 },
    acted: { a: 1 },
    there: { ip: '10.0.0.2', a: 1 },
  },
  {
    title: 'a field that an action clears, as it was',
    original: { nodeName: 'n1' },
    acted: {},
    there: { nodeName: 'n1' },
  },
  { title: 'a field that an action clears and nobody gives', original: { nodeName: 'n1' }, acted: {}, there: {} },
  {
    title: 'a field that a modifier takes out',
    original: { a: 1, b: 2 },
    acted: { a: 1, b: 2 },
    wanted: { a: 1 },
    there: { a: 1, b: 2 },
    desired: { a: 1 },
  },
  {
    title: 'a field that an action changes',
    original: { class: 'slow' },
    acted: { class: 'fast' },
    there: { class: 'slow' },
    desired: { class: 'fast' },
  },
  {
    title: 'a field inside of an element of a list',
    original: { ports: [{ port: 80, nodePort: 30000 }] },
    acted: { ports: [{ port: 80 }] },
    there: { ports: [{ port: 80, nodePort: 31000 }] },
  },
  {
    title: 'an element that differs beside a field that is given anew',
    original: { ports: [{ port: 80, nodePort: 30000 }] },
    acted: { ports: [{ port: 80 }] },
    there: { ports: [{ port: 81, nodePort: 31000 }] },
    desired: { ports: [{ port: 80, nodePort: 31000 }] },
  },
  {
    title: 'elements that an action takes out and that are there as they were',
    original: { volumes: ['token', 'data'] },
    acted: { volumes: ['data'] },
    there: { volumes: ['token', 'data'] },
  },
  {
    title: 'elements that an action takes out of a list that has changed',
    original: { volumes: ['token', 'data'] },
    acted: { volumes: ['data'] },
    there: { volumes: ['token', 'other'] },
    desired: { volumes: ['data'] },
  },
  {
    title: 'elements that a modifier takes out',
    original: { containers: ['web', 'log'] },
    wanted: { containers: ['web'] },
    there: { containers: ['web', 'log'] },
    desired: { containers: ['web'] },
  },
  { title: 'a list that is longer', original: { l: [1] }, there: { l: [1, 2] }, desired: { l: [1] } },
  {
    title: 'a map whose every field is cleared',
    original: { claim: { uid: 'u', name: 'c' } },
    acted: { claim: { name: 'c' } },
    there: { claim: { uid: 'other', name: 'c' } },
  },
  { title: 'a list in the place of a map', original: { a: { b: 1 } }, there: { a: [1] }, desired: { a: { b: 1 } } },
];

describe('the desired state of an existing object', () => {
  it.each(rows)('$title', ({ original, acted = original, wanted = acted, there, desired = there }) => {
    const way = { original: object(original), acted: object(acted), wanted: object(wanted) };
    const state = desiredState(object(there), way);
    expect(state).toEqual(object(desired));
    expect(isSame(state, object(there))).toBe(desired === there);
  });
});
