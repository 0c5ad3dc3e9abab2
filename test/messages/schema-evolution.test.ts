import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { avroType, memberType } from '../../services/messages/avro.ts';
import { Codec } from '../../services/messages/codec.ts';
import { DEAD_LETTER_TOPIC, SCHEMA_TOPICS, topicOf } from '../../services/messages/message.ts';
import { currentSchemaOf, EmbeddedSchemaIds, type Topic } from '../../services/messages/schema-ids.ts';
import {
  AUDIENCE_CHANGE,
  DEAD_LETTER,
  IDENTIFY,
  PROJECT,
  SESSION,
  TRACK,
} from '../support/messages/sample-messages.ts';

const FOLDER = 'schemas/messages';

/**
 * Messages as they were written under each id, once and for ever. A new schema gets a new id and a line of its own
 * here; a line that has to change means that what stands on people's logs can no longer be read.
 */
const WRITTEN = {
  1: {
    message: { ...IDENTIFY, context: null, originalTimestamp: null, adjusted: null },
    hex: '00000000014830316131666537612d373734352d373362642d396434332d313263363064343339303636013270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f98800001feffe5cebcd2ff24403337386364313833366238303030653339646135373165383538386162636465106964656e746966792a7b226e223a31653430302c22c3bc223a6e756c6c7d',
  },
  2: {
    message: { ...TRACK, originalTimestamp: null, adjusted: null },
    hex: '00000000024830316131666537612d373734352d373362642d396434332d313263363064343339303636003270726f6a5f303132333435363738396162636465666768696a8001326164383933396233326335656539623561613131386163343565346263313235666138383139353764653466356138616332643038346335666338663962320002026101feffe5cebcd2ff244033373863643138333662383030306533396461353731653835383861626364650a62617463681e4f7264657220436f6d706c657465640206732d31347b22746f74616c223a393030373139393235343734303939337d',
  },
  3: {
    message: SESSION,
    hex: '00000000034830316131666537612d373734352d373362642d396434332d313263363064343339303636013270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f98800001feffe5cebcd2ff244033373863643138333662383030306533396461353731653835383861626364651870726f6a6563742d7573657206732d3101047b7d',
  },
  5: {
    message: { ...IDENTIFY, adjusted: null },
    hex: '00000000054830316131666537612d373734352d373362642d396434332d313263363064343339303636013270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f98800001feffe5cebcd2ff24403337386364313833366238303030653339646135373165383538386162636465106964656e746966792a7b226e223a31653430302c22c3bc223a6e756c6c7d02247b226970223a223139322e302e322e37227d02fcffe5cebcd2ff24',
  },
  6: {
    message: { ...TRACK, adjusted: null },
    hex: '00000000064830316131666537612d373734352d373362642d396434332d313263363064343339303636003270726f6a5f303132333435363738396162636465666768696a8001326164383933396233326335656539623561613131386163343565346263313235666138383139353764653466356138616332643038346335666338663962320002026101feffe5cebcd2ff244033373863643138333662383030306533396461353731653835383861626364650a62617463681e4f7264657220436f6d706c657465640206732d31347b22746f74616c223a393030373139393235343734303939337d0203',
  },
  8: {
    message: IDENTIFY,
    hex: '00000000084830316131666537612d373734352d373362642d396434332d313263363064343339303636013270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f98800001feffe5cebcd2ff24403337386364313833366238303030653339646135373165383538386162636465106964656e746966792a7b226e223a31653430302c22c3bc223a6e756c6c7d02247b226970223a223139322e302e322e37227d02fcffe5cebcd2ff2402765b7b2270617468223a222f74696d657374616d70222c226d657373616765223a226973206e6f74206120746578743a206c656674206f7574227d5d',
  },
  9: {
    message: TRACK,
    hex: '00000000094830316131666537612d373734352d373362642d396434332d313263363064343339303636003270726f6a5f303132333435363738396162636465666768696a8001326164383933396233326335656539623561613131386163343565346263313235666138383139353764653466356138616332643038346335666338663962320002026101feffe5cebcd2ff244033373863643138333662383030306533396461353731653835383861626364650a62617463681e4f7264657220436f6d706c657465640206732d31347b22746f74616c223a393030373139393235343734303939337d0203029e015b7b2270617468223a222f70726f70657274696573222c226d657373616765223a22697320616e20656d707479206c6973743a2074616b656e20617320616e20656d707479206f626a656374227d5d',
  },
} as const;
const DEAD_LETTERS_WRITTEN = {
  4: '00000000041c746964656d61726b2e747261636b0a8280808080808020060102030400ff2463616e6e6f7420626520726561643a20c3a990968fe6c1b2b0061270726f6a6563746f72',
};

const PROJECTS_WRITTEN = {
  7: '00000000073270726f6a5f303132333435363738396162636465666768696a1442c3bc726f20f09f9b8d021a4575726f70652f4265726c696e0200000000000004400280897a02809f4902808080808080800402feffffffffffff1f02feffe5cebcd2ff240600',
};

const CHANGES_WRITTEN = {
  10: '000000000a5a6d73675f303132333435363738396162636465666768696a6b6c6d6e2f3137393532373038303132323130303330656e645f303132333435363738396162636465666768696a3270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f9b92000e656e746572656496968fe6c1b2b00602306175645f303132333435363738396162636465666768696a020a42c3bc726f0206020e72656672657368022e7b226e223a31653430302c22706c616e223a6e756c6c7d',
  11: '000000000b5a6d73675f303132333435363738396162636465666768696a6b6c6d6e2f3137393532373038303132323130303330656e645f303132333435363738396162636465666768696a3270726f6a5f303132333435363738396162636465666768696a80013261643839333962333263356565396235616131313861633435653462633132356661383831393537646534663561386163326430383463356663386639623202184ac3bc7267656e20f09f9b92000e656e746572656496968fe6c1b2b00602306175645f303132333435363738396162636465666768696a020a42c3bc726f0206020c6a6f696e656402800132616438393339623332633565653962356161313138616334356534626331323566613838313935376465346635613861633264303834633566633866396232022e7b226e223a31653430302c22706c616e223a6e756c6c7d',
};

const ids = JSON.parse(readFileSync(`${FOLDER}/ids.json`, 'utf8')) as Record<string, string>;
const embedded = new EmbeddedSchemaIds();
const codec = new Codec(embedded);

describe('what was ever written can be read', () => {
  test.each(Object.entries(WRITTEN))('a message written under id %s can be read', (_id, { message, hex }) => {
    expect(codec.decode(topicOf(message), Buffer.from(hex, 'hex'))).toEqual(message);
  });

  test.each(Object.entries(DEAD_LETTERS_WRITTEN))('a dead letter written under id %s can be read', (_id, hex) => {
    expect(codec.decodeDeadLetter(Buffer.from(hex, 'hex'))).toEqual(DEAD_LETTER);
  });

  test.each(Object.entries(PROJECTS_WRITTEN))('a project written under id %s can be read', (_id, hex) => {
    expect(codec.decodeProject(Buffer.from(hex, 'hex'))).toEqual(PROJECT);
  });

  test.each(Object.entries(CHANGES_WRITTEN))('a change written under id %s can be read by its schema', (id, hex) => {
    const type = avroType(embedded.schemaOf(Number(id)) ?? {});

    expect(type.fromBuffer(Buffer.from(hex, 'hex').subarray(5))).toMatchObject({
      user_key: AUDIENCE_CHANGE.userKey,
      at: AUDIENCE_CHANGE.at,
      audience_name: 'Büro',
      audience_version: 3,
      traits: '{"n":1e400,"plan":null}',
    });
  });

  test('a change is written under the last of the ids', () => {
    expect(Buffer.from(codec.encodeAudienceChange(AUDIENCE_CHANGE)).toString('hex')).toBe(CHANGES_WRITTEN[11]);
  });

  test.each([
    [8, IDENTIFY],
    [9, TRACK],
  ])('a user id and an anonymous id in one message are written under id %s', (id, sample) => {
    const message = { ...sample, userId: 'ada', anonymousId: 'cookie' };

    const written = Buffer.from(codec.encode(message, topicOf(message)));

    expect(written.readUInt32BE(1)).toBe(id);
    expect(codec.decode(topicOf(message), written)).toEqual(message);
  });

  test.each([
    [1, IDENTIFY],
    [2, TRACK],
    [5, IDENTIFY],
    [6, TRACK],
  ] as const)('a reader that has the schema of id %s reads what is written now', (id, sample) => {
    const writer = avroType(currentSchemaOf(topicOf(sample)));
    const reader = avroType(embedded.schemaOf(id) ?? {});
    const written = Buffer.from(codec.encode(sample, topicOf(sample))).subarray(5);

    expect(reader.fromBuffer(written, reader.createResolver(writer))).toMatchObject({ message_id: sample.messageId });
  });

  test('every id has an example', () => {
    const examples = { ...WRITTEN, ...DEAD_LETTERS_WRITTEN, ...PROJECTS_WRITTEN, ...CHANGES_WRITTEN };

    expect(Object.keys(examples)).toEqual(Object.keys(ids));
  });
});

describe('the schemas', () => {
  test.each(Object.entries(ids))("the schema of id %s, %s, is read as its topic's current one", (id, file) => {
    const topic = topicOfFile(file);
    const schema = embedded.schemaOf(Number(id)) ?? {};

    expect(() => memberType(currentSchemaOf(topic)).createResolver(avroType(schema))).not.toThrow();
  });

  test.each(SCHEMA_TOPICS)('the schema of %s has an id, and its current file is what is written', (topic) => {
    expect(ids[embedded.idOf(topic)]).toBe(`${topic.replace(/^tidemark\.(import-)?/, '')}.avsc`);
  });

  test('all schemas are in use', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.avsc'));

    expect(files.sort()).toEqual([...new Set(Object.values(ids))].sort());
  });

  test.each(Object.values(ids))('%s says what each field means', (file) => {
    const schema = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as {
      doc?: string;
      namespace?: string;
      fields: { name: string; doc?: string }[];
    };

    expect(schema.namespace).toBe('tidemark');
    expect(schema.doc).toBeTruthy();
    expect(schema.fields.filter(({ doc }) => !doc)).toEqual([]);
  });
});

/** `track.avsc` is the current schema of its topic, `track-2.avsc` an older one. */
function topicOfFile(file: string): Topic {
  const topic = SCHEMA_TOPICS.find((topic) => topic === `tidemark.${file.replace(/(-\d+)?\.avsc$/, '')}`);
  return topic ?? DEAD_LETTER_TOPIC;
}
