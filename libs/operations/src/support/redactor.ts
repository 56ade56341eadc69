import { redacted, redactText, secretTest } from '@lateen/kernel';
import { isJsonObject } from '@lateen/kube';

/** Shorter values are words such as "true" or "none": replacing them everywhere would make logs unreadable. */
const knownValueCharsMin = 6;

/** How many known values are searched for in texts; further values are redacted only in the fields with a secret's name. */
const knownValuesMax = 1_000;

/** Fields that contain a signed link, or repeat the whole object as text. */
const hiddenFields: ReadonlySet<string> = new Set(['downloadURL', 'kubectl.kubernetes.io/last-applied-configuration']);

/**
 * Redacts secrets in everything that goes into a bundle. Values of fields and variables with the name of a secret are replaced and
 * remembered: the same value is then replaced in later objects and logs too. Secret objects are never read for this.
 */
export class Redactor {
  readonly #isSecret = secretTest();
  readonly #known = new Set<string>();
  /** Sorted by length, the longest first, because a value may contain another one. */
  #ordered: readonly string[] | undefined;

  /** Returns a copy without secrets and without `managedFields`, which do not help. */
  object(value: unknown): unknown {
    this.#learn(value);
    return this.#redacted(value);
  }

  text(text: string): string {
    this.#ordered ??= [...this.#known].toSorted((a, b) => b.length - a.length);
    return redactText(this.#ordered.reduce((result, value) => result.replaceAll(value, redacted), text));
  }

  /** Runs before the object is copied: a value may occur before the field whose name shows that it is secret. */
  #learn(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#learn(each);
    if (!isJsonObject(value)) return;
    const variable = namedValue(value);
    if (variable !== undefined && this.#isSecret(variable.name)) this.#remember(variable.value);
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'string' && this.#isSecret(key)) this.#remember(each);
      else this.#learn(each);
    }
  }

  #remember(value: string): void {
    if (value.length < knownValueCharsMin || this.#known.size >= knownValuesMax) return;
    this.#known.add(value);
    this.#ordered = undefined;
  }

  #redacted(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.#redacted(each));
    if (!isJsonObject(value)) return value;
    const hidesValue = this.#isSecret(namedValue(value)?.name ?? '');
    const fields = Object.entries(value).filter(([key]) => key !== 'managedFields');
    return Object.fromEntries(
      fields.map(([key, each]) => {
        const hidden = hiddenFields.has(key) || this.#isSecret(key) || (hidesValue && key === 'value');
        return [key, hidden && isFilledText(each) ? redacted : this.#redacted(each)];
      }),
    );
  }
}

const isFilledText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** An environment variable, or an object of the same form. */
function namedValue(object: Readonly<Record<string, unknown>>): { name: string; value: string } | undefined {
  const { name, value } = object;
  return typeof name === 'string' && typeof value === 'string' ? { name, value } : undefined;
}
