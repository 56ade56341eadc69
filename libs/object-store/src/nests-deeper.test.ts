import { describe, expect, it } from 'vitest';
import { nestsDeeper } from './nests-deeper.ts';

describe('nestsDeeper', () => {
  it.each<[string, 'xml' | 'json', number, boolean]>([
    ['<?xml version="1.0"?><!-- c --><a><b/><b></b><c><d>x</d></c></a>', 'xml', 3, false],
    ['<a><b><c>', 'xml', 2, true],
    ['<a x="1"><b y="2"/></a>', 'xml', 1, false],
    ['<a', 'xml', 0, false],
    ['{"a":[{"b":"[[[\\"{{{"}]}', 'json', 3, false],
    ['{"a":[{"b":1}]}', 'json', 2, true],
    ['"[[[', 'json', 0, false],
    ['', 'json', 0, false],
  ])('%s (%s) exceeds %d levels: %s', (text, format, levels, deeper) => {
    expect(nestsDeeper(text, format, levels)).toBe(deeper);
  });

  it.each(['<', '<a', '"\\', '"\\"', '<a>'.repeat(3)])('scans a megabyte of %s in linear time', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect([nestsDeeper(text, 'xml', 10_000_000), nestsDeeper(text, 'json', 10_000_000)]).toEqual([false, false]);
  });
});
