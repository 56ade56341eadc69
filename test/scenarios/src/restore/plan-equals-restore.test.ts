import { describe, expect, it } from 'vitest';
import { type CaseRun, type GeneratedCase, generatedCase, runCase } from './generated-case.ts';
import { backedUp } from './restore-world.ts';
import { differences } from './restored-state.ts';

/*
 * The plan of a restore says of each object what the restore then does with it. What the API server cannot be asked while the namespace
 * or the definition of an object is not there yet, a webhook may still refuse: the plan says so.
 */

const seeds = 240;
const perTest = 20;

const actOf = (outcome: string): string => outcome.split(' | ')[0] ?? '';
const isUnasked = / is not there yet /;
const isRefused = /^denied .* webhook no.example.com$/;
const lacksRefused = /^denied .*(serviceaccount|PriorityClass)/;

/** Whether a webhook has refused it, or what it needs, when nobody could ask for it while the plan was made. */
function isOpen(place: string, planned: string, done: string, { denied, spec }: GeneratedCase): boolean {
  const isNew = isUnasked.test(`${planned} `) || place.endsWith('/default') || place.endsWith('/kube-root-ca.crt');
  if (!isNew) return false;
  if (isRefused.test(done)) return [...denied].some((each) => each.split(/[ /]/).at(-1) === place.split(/[ /]/).at(-1));
  return place.startsWith('Pod ') && lacksRefused.test(done) && denied.size > 0 && spec.labelSelector === undefined;
}

/** By place: what it does with the object, or would do. */
function acts(plan: CaseRun, restore: CaseRun, one: GeneratedCase): { planned: Acts; done: Acts } {
  const planned: Acts = {};
  const done: Acts = {};
  for (const place of new Set([...Object.keys(plan.outcomes), ...Object.keys(restore.outcomes)])) {
    const [would, did] = [plan.outcomes[place] ?? '', restore.outcomes[place] ?? ''];
    if (isOpen(place, would, did, one)) continue;
    planned[place] = actOf(would);
    done[place] = actOf(did);
  }
  return { planned, done };
}

type Acts = Record<string, string>;

describe('the plan of a restore of generated clusters', () => {
  const firsts = Array.from({ length: seeds / perTest }, (_, at) => 1 + at * perTest);
  it.each(firsts)(
    'says what the restore then does, object by object, and writes nothing, seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + perTest; seed += 1) {
        const one = generatedCase(seed);
        const stored = await backedUp(one.source);
        const plan = await runCase(one, stored, { parallel: 8, dryRun: true });
        const restore = await runCase(one, stored, { parallel: 8 });
        const { planned, done } = acts(plan, restore, one);
        expect(differences(planned, done), `seed ${seed}`).toEqual({});
        expect(differences(plan.before, plan.state), `seed ${seed}`).toEqual({});
      }
    },
  );
});
