"""The terminal, as a person uses it: one database file, one command after another."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.__main__ import DONE, NOTHING_ACCEPTED, REFUSED, main
from core.jobs import RoutingRequest, routed_table, run_routing
from core.policy_file import policy_document, policy_text
from core.store.database import open_database
from core.store.exports import to_csv
from core.store.records import load_judged
from core.studies import by_certificate, run_variants, summarise
from tests.core.study_cohort import write_study


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A cohort of 600 records, imported from the terminal."""
    folder = tmp_path_factory.mktemp("terminal")
    random = np.random.default_rng(0)
    rows = [["id", "question", "answer", "label", "verdict", "uncertainty", "verdict2",
             "uncertainty2"]]  # fmt: skip
    for i in range(600):
        u1, u2 = random.random(2).round(6)
        label = bool(random.random() < 0.6)
        first = label ^ bool(random.random() < 0.1 + 0.4 * u1)
        second = label ^ bool(random.random() < 0.05 + 0.2 * u2)
        rows.append([f"{i:04d}", f"q{i}", f"a{i}", label, first, u1, second, u2])
    path = folder / "records.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    database = str(folder / "terminal.duckdb")
    assert main(["import", str(path), "--name", "Mine", "--database", database]) == DONE
    return database


CALIBRATE = ["calibrate", "mine", "--alpha", "0.2", "--delta", "0.05"]


def test_cohorts_lists_what_was_imported(database, capsys):
    assert main(["cohorts", "--database", database]) == DONE
    assert "mine" in capsys.readouterr().out
    assert main(["cohorts", "--json", "--database", database]) == DONE
    (cohort,) = json.loads(capsys.readouterr().out)
    assert (cohort["name"], cohort["n_items"], cohort["n_labelled"]) == ("Mine", 600, 600)


def test_a_database_that_is_not_there_is_not_made_by_looking(tmp_path, capsys):
    missing = tmp_path / "typo.duckdb"
    assert main(["cohorts", "--database", str(missing)]) == REFUSED
    assert f"There is no database at {missing}" in capsys.readouterr().err
    assert not missing.exists()


def test_cohorts_of_an_empty_database_says_how_to_begin(capsys):
    assert main(["cohorts", "--database", ":memory:"]) == DONE
    assert "python -m core import" in capsys.readouterr().out


def test_calibrate_and_route_agree_with_the_job_to_the_last_digit(database, tmp_path, capsys):
    out, routes = tmp_path / "policy.json", tmp_path / "routes.csv"
    assert main([*CALIBRATE, "--json", "--out", str(out), "--database", database]) == DONE
    printed = capsys.readouterr().out
    with open_database(database, read_only=True) as db:
        records = load_judged(db, "mine", "judge")
    run = run_routing(records, RoutingRequest(alpha=0.2, delta=0.05))
    assert run.policy.accepts
    assert printed == out.read_text() == policy_text(policy_document(records, run))
    route = ["route", str(out), "mine", "--out", str(routes), "--database", database]
    assert main(route) == DONE
    assert routes.read_bytes() == to_csv(routed_table(records, run.route))
    assert "600 records:" in capsys.readouterr().err


def test_route_prints_csv_and_json(database, tmp_path, capsysbinary):
    out = tmp_path / "policy.json"
    main([*CALIBRATE, "--out", str(out), "--database", database])
    capsysbinary.readouterr()
    assert main(["route", str(out), "mine", "--database", database]) == DONE
    rows = list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode())))
    assert (len(rows), rows[0]["id"]) == (600, "0000")
    assert main(["route", str(out), "mine", "--json", "--database", database]) == DONE
    answer = json.loads(capsysbinary.readouterr().out)
    assert answer["same_data"] is True
    assert [row["route"] for row in answer["routes"]] == [row["route"] for row in rows]


def test_a_risk_score_is_told_in_the_policy_and_made_again_by_route(study, tmp_path, capsys):
    out = tmp_path / "policy.json"
    scored = ["calibrate", "study", "--alpha", "0.4", "--delta", "0.1", "--database", study]
    assert main([*scored, "--score", "half", "--out", str(out)]) in (DONE, NOTHING_ACCEPTED)
    assert "200 of 400 labelled records trained the risk score" in capsys.readouterr().err
    document = json.loads(out.read_text())
    assert document["data"]["uncertainty1"] == "risk score, half"
    assert document["data"]["n_records"] == 200
    assert main(["route", str(out), "study", "--json", "--database", study]) == DONE
    answer = json.loads(capsys.readouterr().out)
    assert (answer["same_data"], answer["differences"], len(answer["routes"])) == (True, [], 200)
    document["data"]["data_hash"] = "another"
    out.write_text(json.dumps(document))
    assert main(["route", str(out), "study", "--database", study]) == REFUSED
    assert "thresholds are of a risk score" in capsys.readouterr().err
    assert main(["route", str(out), "study", "--anyway", "--database", study]) == REFUSED
    assert main([*scored, "--score", "out-of-fold", "--json"]) in (DONE, NOTHING_ACCEPTED)
    assert json.loads(capsys.readouterr().out)["guaranteed"] is False


def test_calibrate_says_what_is_promised_and_what_was_scored(database, capsys):
    assert main([*CALIBRATE, "--certificate", "pointwise", "--database", database]) == DONE
    out = capsys.readouterr().out
    assert "No guarantee" in out
    assert "scored       Mode 1 600, Mode 2 600 of 600" in out


def test_route_refuses_what_the_policy_was_not_calibrated_on(database, tmp_path, capsys):
    out = tmp_path / "policy.json"
    main([*CALIBRATE, "--out", str(out), "--database", database])
    other = json.loads(out.read_text())
    other["data"] |= {"judge": "another", "uncertainty2": "1 − confidence"}
    out.write_text(json.dumps(other))
    route = ["route", str(out), "mine", "--judge", "judge", "--database", database]
    capsys.readouterr()
    assert main(route) == REFUSED
    error = capsys.readouterr().err
    assert "The policy's judge is 'another'; these records have 'judge'." in error
    assert "uncertainty of Mode 2" in error
    assert main([*route, "--anyway", "--json"]) == DONE
    answer = json.loads(capsys.readouterr().out)
    assert answer["same_data"] is False
    assert len(answer["differences"]) == 2


def test_import_says_what_it_read_and_what_it_left(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("id,verdict,label,colour\n1,yes,no,red\n")
    main(["import", str(path), "--name", "X", "--database", str(tmp_path / "x.duckdb")])
    out = capsys.readouterr().out
    assert "verdict = 'verdict', label of human = 'label'; not used: 'colour'" in out


def test_a_reader_that_has_seen_enough_does_not_stop_an_import(tmp_path):
    path, database = tmp_path / "x.csv", tmp_path / "x.duckdb"
    path.write_text("id,verdict,label\n1,yes,no\n")
    command = f"{sys.executable} -m core import {path} --name X --database {database} | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    with open_database(database, read_only=True) as db:
        assert len(load_judged(db, "x", "judge").item_id) == 1


def test_calibrate_exits_with_3_where_nothing_can_be_accepted(database, capsys):
    refused = ["calibrate", "mine", "--alpha", "0.01", "--delta", "0.05", "--database", database]
    assert main(refused) == NOTHING_ACCEPTED
    out = capsys.readouterr().out
    assert "Nothing can be accepted." in out
    assert "Nothing is promised" in out
    assert "labels of human" in out


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_export_and_import_give_back_the_same_cohort(database, tmp_path, capsys, ending):
    out, again = tmp_path / f"records.{ending}", str(tmp_path / "again.duckdb")
    assert main(["export", "mine", "--out", str(out), "--database", database]) == DONE
    assert main(["import", str(out), "--name", "Again", "--json", "--database", again]) == DONE
    imported = json.loads(capsys.readouterr().out)["cohort"]
    assert main(["cohorts", "--json", "--database", database]) == DONE
    (original,) = json.loads(capsys.readouterr().out)
    assert imported["data_hash"] == original["data_hash"]


def test_import_names_the_bad_row_and_stops_or_skips(tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text("id,verdict,label\n1,yes,no\n2,yes,maybe\n3,no,no\n")
    database = str(tmp_path / "bad.duckdb")
    command = ["import", str(path), "--name", "Bad", "--database", database]
    assert main(command) == REFUSED
    error = capsys.readouterr().err
    assert "line 3" in error
    assert "'label'" in error
    assert "1 of 3 rows have errors (above), so nothing was written" in error
    assert not Path(database).exists()
    assert main([*command, "--dry-run", "--json"]) == DONE
    report = json.loads(capsys.readouterr().out)
    assert report["cohort"] is None
    assert [(p["line"], p["column"], p["value"]) for p in report["problems"]] == [
        (3, "label", "maybe")
    ]
    assert main([*command, "--on-problem", "skip"]) == DONE
    assert "Bad: 2 items, 2 labelled" in capsys.readouterr().out


def test_import_takes_a_mapping(tmp_path, capsys):
    path = tmp_path / "mine.csv"
    path.write_text("nr;said;sure;gold;len;where\n7;ja;0.9;nein;12;north\n".replace("ja", "yes")
                    .replace("nein", "no"))  # fmt: skip
    database = str(tmp_path / "mine.duckdb")
    assert main([
        "import", str(path), "--name", "Mapped", "--json", "--database", database,
        "--map", "id=nr", "--map", "verdict=said", "--map", "uncertainty=sure",
        "--uncertainty-as", "confidence", "--label", "gold=panel=anna",
        "--feature", "len=answer", "--stratum", "where", "--judge-name", "gpt",
    ]) == DONE  # fmt: skip
    assert json.loads(capsys.readouterr().out)["cohort"]["label_sources"] == ["panel"]
    assert main(["export", "mapped", "--json", "--database", database]) == DONE
    row = json.loads(capsys.readouterr().out)
    assert (row["id"], row["judge"], row["verdict"]) == ("7", "gpt", True)
    assert row["uncertainty"] == pytest.approx(0.1)
    assert (row["label:panel:anna"], row["feature:answer:len"], row["stratum:where"]) == (
        False, 12, "north",
    )  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("study") / "study.duckdb")
    with open_database(path) as db:
        write_study(db)
    return path


def test_splits_gives_averages_or_every_split(study, tmp_path, capsys):
    command = ["splits", "study", "--alphas", "0.2,0.3,.2", "--n-splits", "3", "--database", study]
    assert main([*command, "--json"]) == DONE
    answer = json.loads(capsys.readouterr().out)
    with open_database(study, read_only=True) as db:
        records = load_judged(db, "study", "J")
    variants = by_certificate(records)
    rows = pd.concat(list(run_variants(variants, alphas=[0.2, 0.3], n_splits=3, seed=42)))
    expected = summarise(rows)
    assert (answer["n_labelled"], answer["n_splits"], answer["seed"]) == (400, 3, 42)
    assert [row["coverage"] for row in answer["rows"]] == expected["coverage"].tolist()
    assert [row["certificate"] for row in answer["rows"]] == expected["variant"].tolist()
    out = tmp_path / "every.csv"
    assert main([*command, "--every", "--certificate", "pointwise", "--out", str(out)]) == DONE
    assert len(out.read_text().splitlines()) == 1 + 3 * 2
    assert main(command) == DONE
    assert "400 labelled records of 400, 3 random splits" in capsys.readouterr().err


def test_drift_compares_two_snapshots(study, capsys):
    command = ["drift", "study", "--alpha", "0.3", "--delta", "0.05", "--n-splits", "5"]
    assert main([*command, "--json", "--database", study]) == DONE
    answer = json.loads(capsys.readouterr().out)
    assert (answer["after"], answer["records_with_evidence"]) == ("mode2:t1", 400)
    assert answer["ranked_jaccard"] == pytest.approx(0.2)
    assert answer["unranked_jaccard"] == pytest.approx(0.5)
    assert answer["coverage_low"] <= answer["coverage_change"] <= answer["coverage_high"]
    assert main([*command, "--database", study]) == DONE
    assert "advice" in capsys.readouterr().out


def test_drift_is_refused_where_the_labels_can_certify_nothing(study, capsys):
    command = ["drift", "study", "--alpha", "0.01", "--delta", "0.05", "--database", study]
    assert main(command) == REFUSED
    assert "alpha = 0.01 and delta = 0.05 need 299 there" in capsys.readouterr().err


def test_splits_and_drift_of_records_that_lack_what_they_need(tmp_path, capsys):
    database = str(tmp_path / "lacking.duckdb")
    text = "id,question,answer,label,verdict,uncertainty\n"
    for name, label in (("Unlabelled", ""), ("Alone", "true")):
        path = tmp_path / f"{name}.csv"
        path.write_text(text + "".join(f"{i},q{i},a,{label},true,0.{i}\n" for i in range(9)))
        assert main(["import", str(path), "--name", name, "--database", database]) == DONE
    path = tmp_path / "sure.csv"
    path.write_text(
        "id,question,answer,label,verdict\n" + "".join(f"{i},q,a,true,true\n" for i in range(40))
    )
    assert main(["import", str(path), "--name", "Sure", "--database", database]) == DONE
    drift = ["drift", "--alpha", "0.2", "--delta", "0.05", "--database", database]
    for command, words in (
        (["splits", "unlabelled", "--database", database], "'unlabelled' has 0 labelled records"),
        ([*drift, "unlabelled"], "'unlabelled' has 0 labelled records"),
        ([*drift, "alone"], "no scored record of Mode 2"),
        (["splits", "alone", "--database", database], "alpha = 0.25 and delta = 0.05 need 11"),
        (["splits", "sure", "--database", database], "'judge' never says how unsure it is"),
    ):
        assert main(command) == REFUSED
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["splits", "mine", "--alphas", "0.1;0.2"], "'--alphas' must be numbers by comma"),
        (["splits", "mine", "--alphas", "0.1,1.2"], "'alphas' must be strictly between 0 and 1"),
        (["drift", "mine", "--alpha", "0.2", "--delta", "0.05"], "has one snapshot of Mode 2"),
        (["calibrate", "other", "--alpha", "0.2", "--delta", "0.05"], "Known: 'mine'"),
        (["calibrate", "mine", "--alpha", "2", "--delta", "0.05"], "'alpha' must be strictly"),
        ([*CALIBRATE, "--judge", "nobody"], "nobody"),
        ([*CALIBRATE, "--prefer", "retrieval", "--mode", "1"], "'prefer' must be 'coverage'"),
        (["export", "mine", "--out", "records.xlsx"], "must end in .csv, .jsonl, .parquet"),
        (["route", "missing.json", "mine"], "missing.json"),
        (["import", "missing.csv", "--name", "X"], "missing.csv"),
    ],
)
def test_wrong_input_gets_a_sentence(database, capsys, command, words):
    assert main([*command, "--database", database]) == REFUSED
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


def test_wrong_use_exits_with_2(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "mine"])
    assert ended.value.code == 2
    assert "--alpha" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["import", "cohorts", "calibrate", "route", "export", "splits", "drift", "residuals"]
)
def test_every_command_has_help(capsys, command):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize("seed", ["-1", "x", "1.5"])
def test_a_seed_is_a_whole_number(capsys, seed):
    with pytest.raises(SystemExit) as ended:
        main(["splits", "mine", f"--seed={seed}"])
    assert ended.value.code == 2
    assert f"--seed: must be a whole number from 0 on; got {seed!r}" in capsys.readouterr().err


def test_python_m_core_is_the_same_command():
    done = subprocess.run(
        [sys.executable, "-m", "core", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Assay ")
