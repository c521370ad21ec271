"""Settings: the environment says where the memories lie, and nothing shows a password."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mongorecall import InvalidInputError, MongoDbMemoryService
from mongorecall.settings import RECOMMENDED, Settings, masked

SECRET = "mongodb://app:s3cr%40t@db.example:27017/?authSource=admin"


def test_without_variables_the_defaults_are_those_of_the_service() -> None:
    assert Settings.from_environ({}) == Settings()
    options = Settings().service_options()
    of_the_service = MongoDbMemoryService.__init__.__kwdefaults__ or {}
    assert {name: value for name, value in of_the_service.items() if name in options} == {
        name: value for name, value in options.items() if name != "database_name"
    }


def test_each_field_is_read_from_its_variable() -> None:
    settings = Settings.from_environ(
        {
            "MONGORECALL_URI": SECRET,
            "MONGORECALL_DATABASE": "memories",
            "MONGORECALL_STOP_WORDS": "ticket, account",
            "MONGORECALL_MAX_RESULTS": "7",
            "MONGORECALL_ENSURE_INDEXES": "no",
            "MONGORECALL_RETENTION_DAYS": "0.5",
            "MONGORECALL_ANALYZER": "",
        }
    )

    assert settings.uri == SECRET
    assert settings.database == "memories"
    assert settings.stop_words == frozenset({"ticket", "account"})
    assert (settings.max_results, settings.ensure_indexes, settings.analyzer) == (7, False, "classic")
    assert settings.service_options()["retention"] == timedelta(hours=12)


def test_the_environment_goes_over_the_base() -> None:
    settings = Settings.from_environ({"MONGORECALL_RANKING": "overlap"}, base=RECOMMENDED)

    assert (settings.analyzer, settings.ranking) == ("multilingual", "overlap")


@pytest.mark.parametrize("name", ["MAX_RESULTS", "ENSURE_INDEXES", "RETENTION_DAYS"])
def test_a_value_that_cannot_be_read_is_an_error_without_the_value(name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"MONGORECALL_{name} must be") as caught:
        Settings.from_environ({f"MONGORECALL_{name}": "hunter2"})

    assert "hunter2" not in str(caught.value)


def test_no_password_is_shown() -> None:
    assert "s3cr" not in repr(Settings(uri=SECRET))
    assert masked(SECRET) == "mongodb://db.example:27017/"
    assert masked("mongodb+srv://u:p@x:y@cluster.example/?a=b") == "mongodb+srv://cluster.example/"
