import { afterAll, beforeAll } from "vitest";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { refusalScenarios } from "./testing/refusal-scenarios.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
  await stores.admin.unsafe(`
    create function tidemark.refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.fields like '%poison%' then raise exception 'poison in %', new.fields; end if;
      return new;
    end $$;
    create trigger refuse_poison before insert or update on tidemark.records
      for each row execute function tidemark.refuse_poison();`);
});
afterAll(() => stores.drop());

refusalScenarios("postgres", (clock) => stores.open(clock));
