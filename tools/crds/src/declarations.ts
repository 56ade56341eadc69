import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AppError } from '@lateen/errors';
import ts from 'typescript';
import { sourceProblem } from './source-problem.ts';

/** The declarations of the source files, by name. Names are unique over all files, so imports need not be followed. */
export interface Declarations {
  interfaces: ReadonlyMap<string, ts.InterfaceDeclaration>;
  aliases: ReadonlyMap<string, ts.TypeAliasDeclaration>;
  /** Constants that are arrays of string literals `as const`. */
  tuples: ReadonlyMap<string, readonly string[]>;
}

/** Reads the interfaces of our kinds. `folders` are below `root`; paths in messages are relative to it. */
export function readDeclarations(root: string, folders: readonly string[]): Declarations {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(root, folder, name)),
  );
  return declarationsOf(files.map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') })));
}

/** The same from texts. @throws CRD_SOURCE when a name is declared twice */
export function declarationsOf(sources: readonly { path: string; text: string }[]): Declarations {
  const interfaces = new Map<string, ts.InterfaceDeclaration>();
  const aliases = new Map<string, ts.TypeAliasDeclaration>();
  const tuples = new Map<string, readonly string[]>();
  const names = new Set<string>();
  const claim = (name: string, node: ts.Node) => {
    if (names.has(name)) throw sourceProblem(node, `${name} is declared twice`);
    names.add(name);
    return name;
  };
  for (const { path, text } of sources) {
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2024, true);
    for (const statement of file.statements) {
      if (ts.isInterfaceDeclaration(statement)) interfaces.set(claim(statement.name.text, statement), statement);
      else if (ts.isTypeAliasDeclaration(statement)) aliases.set(claim(statement.name.text, statement), statement);
      else if (ts.isVariableStatement(statement)) {
        for (const declaration of statement.declarationList.declarations) {
          const values = literalsOf(declaration);
          if (values !== undefined) tuples.set(claim(declaration.name.getText(file), declaration), values);
        }
      }
    }
  }
  if (interfaces.size === 0) throw new AppError('CRD_SOURCE', 'no interface was found in the sources');
  return { interfaces, aliases, tuples };
}

/** The strings of `const x = ['a', 'b'] as const`, undefined for any other declaration. */
function literalsOf({ initializer }: ts.VariableDeclaration): readonly string[] | undefined {
  let value = initializer;
  while (value !== undefined && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value))) value = value.expression;
  if (value === undefined || value === initializer || !ts.isArrayLiteralExpression(value)) return undefined;
  const literals = value.elements.filter(ts.isStringLiteral).map((element) => element.text);
  return literals.length === value.elements.length ? literals : undefined;
}
